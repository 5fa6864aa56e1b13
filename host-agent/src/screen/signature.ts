/** Compares two screens by their appearance to a person. Pure. */
import type { ScreenTree } from './elements.js'

/** Returns a text that is equal for equal screens: everything visible, with its position. */
export const signatureOf = (tree: ScreenTree): string =>
  JSON.stringify(
    tree.visible
      .filter((node) => node !== null)
      .map((node) => [
        node.className,
        node.id,
        node.text,
        node.desc,
        node.visible,
        [node.checked, node.focused, node.selected, node.enabled, node.maskedLength],
      ]),
  )
