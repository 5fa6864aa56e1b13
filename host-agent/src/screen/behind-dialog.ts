/**
 * Hides nodes behind a system dialog ("… has stopped", "… isn't responding"): such a
 * dialog belongs to no app and takes every touch on the screen, also outside its
 * bounds. Used by `buildTree`; docs/decisions/0151. Pure.
 */
import { isKeyboard } from './keyboard.js'
import type { ParsedNodes, UiNode } from './nodes.js'
import type { VisibleNode } from './visible.js'

/** What the phone reports in addition to its tree. */
export interface Front {
  /** Of the foreground app; empty when unknown. */
  package: string
  systemDialog: boolean
}

/** AOSP's own dialogs have this package. Its other windows fill the screen or have nothing to press. */
const systemPackage = 'android'

/** The nodes, with null for those whose touches a system dialog takes. Null for `front`: unknown. */
export function hideBehindDialog(
  { nodes, frontFirst }: ParsedNodes,
  visible: readonly (VisibleNode | null)[],
  front: Front | null,
  acts: (node: UiNode) => boolean,
): readonly (VisibleNode | null)[] {
  const roots = nodes.filter(({ parent }) => parent < 0)
  const known = front?.systemDialog === true
  const dialog = known
    ? dialogOf(roots, front)
    : frontFirst && roots.length > 1
      ? roots.find((root) => looksLikeDialog(root, visible, nodes, acts))
      : undefined
  if (!known && !dialog) return visible
  const hides = (root: number): boolean =>
    dialog === undefined || (frontFirst ? root > dialog.index : root !== dialog.index)
  let root = -1
  return visible.map((node, index) => {
    if ((nodes[index]?.parent ?? -1) < 0) root = index
    return hides(root) ? null : node
  })
}

/** Whether the tree includes the focused dialog. */
export const showsDialog = (nodes: readonly UiNode[], front: Front): boolean =>
  dialogOf(
    nodes.filter(({ parent }) => parent < 0),
    front,
  ) !== undefined

/**
 * Vendors use other packages for these dialogs; the app behind, the bars and a keyboard
 * never count as one.
 */
const dialogOf = (roots: readonly UiNode[], front: Front): UiNode | undefined =>
  roots.find((root) => root.package === systemPackage) ??
  roots.find(
    ({ package: name }) =>
      name !== '' && name !== front.package && name !== 'com.android.systemui' && !isKeyboard(name),
  )

function looksLikeDialog(
  root: UiNode,
  visible: readonly (VisibleNode | null)[],
  nodes: readonly UiNode[],
  acts: (node: UiNode) => boolean,
): boolean {
  const shown = visible[root.index]
  if (!shown || shown.page || root.package !== systemPackage) return false
  for (
    let at = root.index;
    at < nodes.length && (at === root.index || (nodes[at]?.parent ?? -1) >= 0);
    at += 1
  ) {
    const node = visible[at]
    if (node && acts(node)) return true
  }
  return false
}
