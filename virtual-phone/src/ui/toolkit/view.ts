/**
 * One view of a window: its accessibility node, its layout and drawing, and its reaction to input. Screens
 * build a new tree of views after each change; `layout.ts` places it once, and painting, the tree dump and
 * touch all read that placement.
 *
 * Lengths are in dp and text sizes in sp; `rect` and `visible` in pixels.
 */
import { type EditState } from './edit-state.js'
import { type FontWeight } from './fonts.js'
import { EMPTY, type Rect } from './geometry.js'
import { type TextBlock } from './text-layout.js'

/** A size in dp, as large as the view's content, or as large as its parent allows. */
export type Length = number | 'wrap' | 'fill'
export type Gravity = 'start' | 'center' | 'end'
/** The arrangement of a view's children. */
type Arrangement = 'frame' | 'column' | 'row'

interface Edges {
  left: number
  top: number
  right: number
  bottom: number
}

export interface Box {
  color: string
  /** Corner radius in dp; `full` is half the height. */
  radius: number | 'full'
  border?: { color: string; width: number }
  /** Rounds only the upper corners. */
  topOnly?: boolean
  shadow?: boolean
}

export interface TextStyle {
  size: number
  weight: FontWeight
  color: string
  maxLines: number
  align: Gravity
}

/** A drawing that is not text or a box. */
export type Mark =
  | { kind: 'icon'; glyph: string; size: number; color: string }
  | { kind: 'image'; base64: string }
  | { kind: 'initial'; text: string; size: number; color: string }
  | { kind: 'switch'; on: boolean; color: string; track: string }
  | { kind: 'check'; on: boolean; shape: 'box' | 'round'; color: string; outline: string }
  | { kind: 'slider'; value: number; color: string; track: string }
  | {
      kind: 'dial'
      /** Turns from twelve o'clock, 0 to 1. */
      hour: number
      minute: number
      second: number
      color: string
      face: string
      accent: string
    }
  | {
      kind: 'picture'
      picture: string
      scale: number
      panX: number
      panY: number
      /** Seconds from a film's beginning. */
      at?: number
    }

export interface ScrollState {
  /** Pixels that the content has moved up (or left). */
  offset: number
  /** Largest offset, known after layout. */
  limit: number
  /** The cursor of a text field to which the field was last scrolled. */
  cursor?: number
}

export interface EditBinding {
  state: EditState
  hint: string
  hintColor: string
  multiline: boolean
  /** Maximum length in UTF-16 units. */
  maxLength: number
  /** `EditorInfo.inputType`. */
  inputType: number
  /** The effect of the keyboard's enter key. */
  action: 'newline' | 'next' | 'done' | 'search' | 'go'
  focused: boolean
  cursorColor: string
  selectionColor: string
  onChange: (text: string) => void
  onAction: () => void
}

interface ListBinding {
  count: number
  /** The height in dp, which is the same for every row. */
  rowHeight: number
  row: (index: number) => View
}

interface PinchBinding {
  onPinch: (factor: number, focusX: number, focusY: number) => void
  onPan: (dx: number, dy: number) => void
}

export interface View {
  className: string
  /** Full resource name, or empty. */
  id: string
  text: string
  description: string
  arrangement: Arrangement
  width: Length
  height: Length
  minHeight: number
  minWidth: number
  /** The view's share of the remaining space along the parent's direction. */
  weight: number
  margin: Edges
  padding: Edges
  /** The position of the view's content. */
  gravity: { x: Gravity; y: Gravity }
  /** The position in a frame parent, or across the parent's direction; null for the parent's default. */
  place: { x?: Gravity; y?: Gravity }
  box: Box | null
  style: TextStyle | null
  mark: Mark | null
  opacity: number
  clickable: boolean
  longClickable: boolean
  checkable: boolean
  checked: boolean
  enabled: boolean
  focusable: boolean
  focused: boolean
  selected: boolean
  password: boolean
  /** Whether the view blocks touches to views below it, without being clickable. */
  blocksTouch: boolean
  onClick: (() => void) | null
  onLongClick: (() => void) | null
  onDoubleTap: (() => void) | null
  /** Handles a sideways swipe over the view, as on a notification. */
  onSwipeAway: (() => void) | null
  /** Whether the view moves continuously: the screen is not idle while the view is visible. */
  moving: boolean
  /** When the view's screen is built again, in milliseconds since 1970; Infinity when time changes nothing. */
  changesAt: number
  /** Whether the window is black in pictures of the screen (`FLAG_SECURE`); on a window's root. */
  secure: boolean
  scroll: ScrollState | null
  scrollDirection: 'vertical' | 'horizontal'
  list: ListBinding | null
  edit: EditBinding | null
  pinch: PinchBinding | null
  /** Moves a slider: 0 to 1 along its width. */
  onSlide: ((value: number) => void) | null
  children: View[]
  // Set by layout.
  parent: View | null
  measured: { width: number; height: number }
  rect: Rect
  /** The part of `rect` that its ancestors do not clip; touch and the tree use it. */
  visible: Rect
  block: TextBlock | null
  /** The index of the first row in `children` of a list. */
  firstRow: number
}

export type ViewProps = Partial<Omit<View, 'margin' | 'padding' | 'gravity' | 'parent'>> & {
  margin?: Partial<Edges> | number
  padding?: Partial<Edges> | number
  gravity?: { x?: Gravity; y?: Gravity }
}

function edges(value: Partial<Edges> | number | undefined): Edges {
  if (typeof value === 'number') return { left: value, top: value, right: value, bottom: value }
  return { left: 0, top: 0, right: 0, bottom: 0, ...value }
}

/** Creates a view; omitted properties have Android's defaults. A click listener makes it clickable and focusable. */
export function view(className: string, props: ViewProps, children: readonly View[] = []): View {
  const { margin, padding, gravity, ...rest } = props
  return {
    className,
    id: '',
    text: '',
    description: '',
    arrangement: 'frame',
    width: 'wrap',
    height: 'wrap',
    minHeight: 0,
    minWidth: 0,
    weight: 0,
    margin: edges(margin),
    padding: edges(padding),
    gravity: { x: gravity?.x ?? 'start', y: gravity?.y ?? 'start' },
    place: {},
    box: null,
    style: null,
    mark: null,
    opacity: 1,
    clickable: rest.onClick != null,
    longClickable: rest.onLongClick != null,
    checkable: false,
    checked: false,
    enabled: true,
    focusable: rest.onClick != null,
    focused: false,
    selected: false,
    password: false,
    blocksTouch: false,
    onClick: null,
    onLongClick: null,
    onDoubleTap: null,
    onSwipeAway: null,
    moving: false,
    changesAt: Infinity,
    secure: false,
    scroll: null,
    scrollDirection: 'vertical',
    list: null,
    edit: null,
    pinch: null,
    onSlide: null,
    parent: null,
    measured: { width: 0, height: 0 },
    rect: EMPTY,
    visible: EMPTY,
    block: null,
    firstRow: 0,
    ...rest,
    children: [...children],
  }
}

/**
 * Returns the text on the screen and in the tree: a password's dots, one per UTF-16 unit, or an empty field's
 * hint.
 */
export function shownText(v: View): string {
  if (v.edit && v.text === '') return v.edit.hint
  return v.password ? '•'.repeat(v.text.length) : v.text
}

/** Visits a view and its descendants, parents first. */
export function* walk(root: View): Generator<View> {
  yield root
  for (const child of root.children) yield* walk(child)
}
