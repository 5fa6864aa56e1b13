/**
 * The windows and views as an accessibility service of Android sees them. `ui/` makes it from the layout of the
 * moment; `uiautomator/` reads it. A tree is a picture of one moment: after any change ask for a new one.
 */

/** Device pixels. */
export interface ScreenRect {
  left: number
  top: number
  right: number
  bottom: number
}

/** `AccessibilityNodeInfo` of a view. */
export interface AccessibilityNode {
  className: string
  /** Full resource name; empty for none. */
  resourceId: string
  /** The displayed text: a password's dots, or the hint of an empty field. */
  text: string
  description: string
  /** Null for views that are not text fields. */
  hint: string | null
  /** A text field without text; the hint may be shown in its place. */
  empty: boolean
  checkable: boolean
  checked: boolean
  clickable: boolean
  enabled: boolean
  focusable: boolean
  focused: boolean
  longClickable: boolean
  password: boolean
  scrollable: boolean
  selected: boolean
  /** UTF-16 units; null without a text field. */
  selection: { start: number; end: number } | null
  /** `InputType` flags, 0 without a text field. */
  inputType: number
  /** A slider's value in percent; null for other views. */
  progress: number | null
  /** Pixels that the content has moved, and how many it can; null for what does not scroll. */
  scroll: { offset: number; limit: number; direction: 'vertical' | 'horizontal' } | null
  /** Its visible part. */
  bounds: ScreenRect
  /** True when part of it is on the screen. */
  visible: boolean
  /** Place among its parent's views. */
  index: number
  /** The row of a list that it is, counted from the list's first; null outside of lists. */
  row: number | null
  children: readonly AccessibilityNode[]
  /** ACTION_SET_TEXT; null when the view has no such action. Works without the focus. */
  setText: ((text: string) => void) | null
  /** ACTION_SET_PROGRESS, in percent; null likewise. */
  setProgress: ((percent: number) => void) | null
}

/** `AccessibilityWindowInfo`. */
export interface AccessibilityWindow {
  /** The same for one window as long as it lives. */
  id: number
  /** TYPE_APPLICATION, TYPE_INPUT_METHOD or TYPE_SYSTEM. */
  type: 1 | 2 | 3
  title: string
  package: string
  bounds: ScreenRect
  /** The one that `getRootInActiveWindow` gives. */
  active: boolean
  /** Greater lies above. */
  layer: number
  root: AccessibilityNode
}
