/**
 * Hides nodes behind a system dialog ("… has stopped", "… isn't responding"). Such a
 * dialog is not part of an app and receives every touch on the screen, even outside its
 * bounds. Used by `buildTree`. Pure.
 */
import type { KeyboardState } from './keyboard.js'
import type { ParsedNodes, UiNode } from './nodes.js'
import type { VisibleNode } from './visible.js'

/** The foreground, which the phone reports separately from its tree. */
export interface Foreground extends Partial<KeyboardState> {
  /** Package of the foreground app; empty when unknown. */
  package: string
  systemDialog: boolean
}

/** The package of AOSP's dialogs. Its other windows fill the screen or have no buttons. */
const systemPackage = 'android'

/** Returns the nodes, with null for nodes whose touches a system dialog receives. `foreground` is null when unknown. */
export function hideBehindDialog(
  { nodes, frontFirst, keyboards }: ParsedNodes,
  visible: readonly (VisibleNode | null)[],
  foreground: Foreground | null,
  acts: (node: UiNode) => boolean,
): readonly (VisibleNode | null)[] {
  const roots = nodes.filter(({ parent }) => parent < 0)
  const known = foreground?.systemDialog === true
  const dialog = known
    ? dialogOf(roots, keyboards, foreground)
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
export const showsDialog = (
  { nodes, keyboards }: Pick<ParsedNodes, 'keyboards'> & { nodes: readonly UiNode[] },
  foreground: Foreground,
): boolean =>
  dialogOf(
    nodes.filter(({ parent }) => parent < 0),
    keyboards,
    foreground,
  ) !== undefined

/**
 * Vendors use other packages for these dialogs. The app behind, the system bars and a
 * keyboard never count as a dialog.
 */
const dialogOf = (
  roots: readonly UiNode[],
  keyboards: ReadonlySet<number>,
  foreground: Foreground,
): UiNode | undefined =>
  roots.find((root) => root.package === systemPackage) ??
  roots.find(
    ({ package: name, index }) =>
      name !== '' && name !== foreground.package && name !== 'com.android.systemui' && !keyboards.has(index),
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
