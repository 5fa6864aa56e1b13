/**
 * The windows and views as an accessibility service of Android sees them. `ui/` creates them from the current
 * layout; `uiautomator/` reads them. A tree is a snapshot, so it must be read again after any change.
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
  /** Full resource name, or empty. */
  resourceId: string
  /** The displayed text: a password's dots, or the hint of an empty field. */
  text: string
  description: string
  /** Null for views that are not text fields. */
  hint: string | null
  /** A text field without text. The hint may be shown in place of the text. */
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
  /** In UTF-16 units; null for views that are not text fields. */
  selection: { start: number; end: number } | null
  /** `InputType` flags; 0 for views that are not text fields. */
  inputType: number
  /** A slider's value in percent; null for other views. */
  progress: number | null
  /** Scroll position and its maximum in pixels; null for views that do not scroll. */
  scroll: { offset: number; limit: number; direction: 'vertical' | 'horizontal' } | null
  /** The visible part of the view, in pixels. */
  bounds: ScreenRect
  /** Whether a part of the view is on the screen. */
  visible: boolean
  /** Index among the parent's views. */
  index: number
  /** The index of the list row, counted from the list's first row; null outside lists. */
  row: number | null
  children: readonly AccessibilityNode[]
  /** Runs ACTION_SET_TEXT, without the focus; null when the view does not support it. */
  setText: ((text: string) => void) | null
  /** Runs ACTION_SET_PROGRESS, in percent; null when the view does not support it. */
  setProgress: ((percent: number) => void) | null
}

/** `AccessibilityWindowInfo`. */
export interface AccessibilityWindow {
  /** The ID stays the same for the window's lifetime. */
  id: number
  /** TYPE_APPLICATION, TYPE_INPUT_METHOD or TYPE_SYSTEM. */
  type: 1 | 2 | 3
  title: string
  package: string
  bounds: ScreenRect
  /** The window of `getRootInActiveWindow`. */
  active: boolean
  /** A higher layer covers a lower layer. */
  layer: number
  root: AccessibilityNode
}
