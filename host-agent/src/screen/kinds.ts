/** Classifies nodes as a person sees them. Used by `screen/` and `actions/`. Pure. */
import type { UiNode } from './nodes.js'
import type { VisibleNode } from './visible.js'

/** Views that hold many items: never one button, even though Android reports a ListView as clickable. */
export const containerClass = /(?:WebView|ListView|GridView|RecyclerView|ScrollView|ViewPager2?)$/
export const isContainer = (node: UiNode): boolean => node.scrollable || containerClass.test(node.className)

/**
 * Whether a person would press the view as one item: the view is not a list, and does not fill most of the screen.
 */
export const isButton = (node: VisibleNode): boolean => node.clickable && !node.page && !isContainer(node)

export const canBeActedOn = (node: UiNode): boolean =>
  node.clickable ||
  node.longClickable ||
  node.checkable ||
  node.scrollable ||
  (node.editable && node.focusable)
