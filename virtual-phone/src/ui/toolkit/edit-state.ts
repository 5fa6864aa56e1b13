/**
 * A text field's content and selection, and the effects of editing. Pure:
 * no layout, no clipboard. Offsets are UTF-16 units; moving and deleting never split a
 * grapheme; `head` is the cursor's position.
 */
export interface EditState {
  text: string
  anchor: number
  head: number
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })
/** A longer grapheme is split, so that a step has a constant cost in a long text. */
const REACH = 128

export const selectionStart = (s: EditState): number => Math.min(s.anchor, s.head)
export const selectionEnd = (s: EditState): number => Math.max(s.anchor, s.head)
export const selectedText = (s: EditState): string => s.text.slice(selectionStart(s), selectionEnd(s))

/** Returns the offset one grapheme before `at`. */
export function before(text: string, at: number): number {
  const from = Math.max(0, at - REACH)
  let last = from
  for (const part of graphemes.segment(text.slice(from, at))) last = from + part.index
  return at === 0 ? 0 : last
}

/** Returns the offset one grapheme after `at`. */
export function after(text: string, at: number): number {
  for (const part of graphemes.segment(text.slice(at, at + REACH))) return at + part.segment.length
  return at
}

export function setSelection(s: EditState, anchor: number, head: number): void {
  const clamp = (n: number): number => Math.max(0, Math.min(s.text.length, n))
  s.anchor = clamp(anchor)
  s.head = clamp(head)
}

/** Replaces the selection by `text` and puts the cursor after it. */
export function insert(s: EditState, text: string): void {
  const start = selectionStart(s)
  s.text = s.text.slice(0, start) + text + s.text.slice(selectionEnd(s))
  setSelection(s, start + text.length, start + text.length)
}

export function deleteBackward(s: EditState): void {
  if (s.anchor === s.head) s.anchor = before(s.text, s.head)
  insert(s, '')
}

export function deleteForward(s: EditState): void {
  if (s.anchor === s.head) s.anchor = after(s.text, s.head)
  insert(s, '')
}

export type Move =
  | 'left'
  | 'right'
  | 'word_left'
  | 'word_right'
  | 'line_start'
  | 'line_end'
  | 'up'
  | 'down'
  | 'start'
  | 'end'

const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1)
function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

/** The cursor keeps its column, counted in graphemes, between lines. */
function vertical(text: string, at: number, direction: 'up' | 'down'): number {
  const start = lineStart(text, at)
  const column = [...graphemes.segment(text.slice(start, at))].length
  let target: number
  if (direction === 'up') {
    if (start === 0) return 0
    target = lineStart(text, start - 1)
  } else {
    const end = lineEnd(text, at)
    if (end === text.length) return end
    target = end + 1
  }
  const limit = lineEnd(text, target)
  for (let i = 0; i < column && target < limit; i++) target = after(text, target)
  return Math.min(target, limit)
}

function wordEdge(text: string, at: number, step: 1 | -1): number {
  const word = (i: number): boolean => /[\p{L}\p{N}_]/u.test(text[i] ?? '')
  const look = step === 1 ? 0 : -1
  let i = at
  while (i + look >= 0 && i + look < text.length && !word(i + look)) i += step
  while (i + look >= 0 && i + look < text.length && word(i + look)) i += step
  return i
}

function target(s: EditState, move: Move): number {
  switch (move) {
    case 'left':
      return before(s.text, s.head)
    case 'right':
      return after(s.text, s.head)
    case 'word_left':
      return wordEdge(s.text, s.head, -1)
    case 'word_right':
      return wordEdge(s.text, s.head, 1)
    case 'line_start':
      return lineStart(s.text, s.head)
    case 'line_end':
      return lineEnd(s.text, s.head)
    case 'up':
    case 'down':
      return vertical(s.text, s.head, move)
    case 'start':
      return 0
    case 'end':
      return s.text.length
  }
}

/**
 * Moves the cursor. With `extend` (shift) the selection grows; otherwise a selection first collapses, as on
 * Android.
 */
export function moveCursor(s: EditState, move: Move, extend: boolean): void {
  if (!extend && s.anchor !== s.head && (move === 'left' || move === 'right')) {
    const edge = move === 'left' ? selectionStart(s) : selectionEnd(s)
    setSelection(s, edge, edge)
    return
  }
  const to = target(s, move)
  setSelection(s, extend ? s.anchor : to, to)
}

export function selectAll(s: EditState): void {
  setSelection(s, 0, s.text.length)
}
