/** Finds dialogs by the IDs of Android's dialog parts. Rules: server 10.6, `AlertHelpers`. */
import { noSuchAlert, ServerError } from './errors.js'
import { descend, type Tree, type TreeNode } from './tree.js'

const regularTitle = /.+:id\/(?:alertTitle|custom)$/
const regularButton = /^android:id\/button(\d+)$/
const permissionTitle = /.+:id\/permission_message$/
const permissionButton = /.+:id\/permission_\w+_button$/
const anyId = /.+:id\/.+/

type Kind = 'regular' | 'permission'

const withId = (nodes: readonly TreeNode[], pattern: RegExp) =>
  nodes.filter(({ info }) => pattern.test(info.resourceId))

/** @throws ServerError when no dialog is on the screen */
function kindOf({ nodes }: Tree): Kind {
  if (withId(nodes, regularTitle).length > 0) return 'regular'
  if (withId(nodes, permissionTitle).length > 0) return 'permission'
  throw noSuchAlert()
}

/**
 * Returns the button that accepts or dismisses; `label` selects another button.
 * @throws ServerError when the button is missing
 */
export function alertButton(tree: Tree, action: 'accept' | 'dismiss', label: string | null): TreeNode {
  const kind = kindOf(tree)
  const buttons = withId(tree.nodes, kind === 'regular' ? regularButton : permissionButton)
  const chosen =
    label !== null
      ? buttons.find(({ info }) => info.text === label)
      : kind === 'regular'
        ? regular(buttons, action)
        : permission(buttons, action)
  if (chosen === undefined)
    throw new ServerError('invalid element state', 'The expected button cannot be detected on the alert')
  return chosen
}

/** The button with the lowest number accepts, and the next button dismisses. */
function regular(buttons: readonly TreeNode[], action: 'accept' | 'dismiss'): TreeNode | undefined {
  const number = ({ info }: TreeNode) => Number(regularButton.exec(info.resourceId)?.[1] ?? '0')
  const sorted = [...buttons].sort((a, b) => number(a) - number(b))
  return action === 'accept' ? sorted[0] : (sorted[1] ?? sorted[0])
}

function permission(buttons: readonly TreeNode[], action: 'accept' | 'dismiss'): TreeNode | undefined {
  const pattern = action === 'accept' ? /[^a-z]allow[^a-z]/i : /[^a-z]deny[^a-z]/i
  const fallback = action === 'accept' ? buttons[1] : buttons[0]
  return buttons.find(({ info }) => pattern.test(info.resourceId)) ?? fallback ?? buttons[0]
}

/**
 * Returns the dialog's texts, without its buttons, one per line.
 * @throws ServerError when no dialog is on the screen
 */
export function alertText(tree: Tree): string {
  const buttons = kindOf(tree) === 'regular' ? regularButton : permissionButton
  const content = tree.nodes.find(({ info }) => info.resourceId === 'android:id/content')
  if (content === undefined) throw noSuchAlert()
  return [...descend(content)]
    .filter(({ info }) => anyId.test(info.resourceId) && !buttons.test(info.resourceId))
    .map(({ info }) => info.text)
    .filter((text) => text.trim() !== '')
    .join('\n')
}
