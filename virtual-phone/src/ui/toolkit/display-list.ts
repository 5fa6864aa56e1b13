/**
 * Flattens a placed view tree into a list of drawing steps, each with its
 * clip. The painter draws only this list, so tests can check the drawing
 * without pixels.
 */
import { selectionEnd, selectionStart } from './edit-state.js'
import { textWidth, type FontWeight } from './fonts.js'
import { heightOf, isEmpty, widthOf, type Rect } from './geometry.js'
import { innerRect, type LayoutScale } from './layout.js'
import { type TextLine } from './text-layout.js'
import { shownText, type Box, type Mark, type View } from './view.js'

export type DrawStep = { clip: Rect; opacity: number } & (
  | { kind: 'box'; rect: Rect; box: Box; unit: number }
  | {
      kind: 'text'
      text: string
      x: number
      baseline: number
      sizePx: number
      weight: FontWeight
      color: string
      /** The base direction of the line. */
      rtl: boolean
    }
  | { kind: 'mark'; mark: Mark; rect: Rect; unit: number }
  | { kind: 'fill'; rect: Rect; color: string }
)

/** The first letter determines the base direction of a line, as in a TextView (`firstStrong`). */
export function isRtl(text: string): boolean {
  const first = /\p{L}/u.exec(text)?.[0]
  return first !== undefined && /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(first)
}

interface TextSpot {
  x: number
  top: number
  sizePx: number
}

/** Returns how far a one-line field's text is scrolled left, so that the cursor is visible. */
function hiddenLeft(v: View, line: TextLine, room: number, sizePx: number): number {
  if (!v.edit || v.edit.multiline || !v.style || line.width <= room) return 0
  const before = v.edit.focused
    ? textWidth(shownText(v).slice(0, v.edit.state.head), sizePx, v.style.weight)
    : 0
  return Math.max(0, Math.min(line.width + 8 - room, before + 8 - room))
}

/** Returns the position of line `index` of a text view. */
export function lineSpot(v: View, index: number, scale: LayoutScale): TextSpot {
  const block = v.block
  const line = block?.lines[index]
  if (!block || !line || !v.style) return { x: v.rect.left, top: v.rect.top, sizePx: 0 }
  const { left, top, right, bottom } = innerRect(v, scale)
  const room = right - left
  const aligned =
    v.style.align === 'center'
      ? left + (room - line.width) / 2
      : v.style.align === 'end'
        ? right - line.width
        : left
  const sizePx = Math.round(v.style.size * scale.density * scale.fontScale)
  const x = aligned - hiddenLeft(v, line, room, sizePx)
  const textHeight = block.lines.length * block.lineHeight
  const spare = Math.max(0, bottom - top - textHeight)
  const offset = v.gravity.y === 'center' ? spare / 2 : v.gravity.y === 'end' ? spare : 0
  return { x, top: top + offset + index * block.lineHeight - (v.scroll?.offset ?? 0), sizePx }
}

function textSteps(v: View, scale: LayoutScale, opacity: number, out: DrawStep[]): void {
  const { block, style, edit } = v
  if (!block || !style) return
  const whole = shownText(v)
  const empty = edit !== null && v.text === ''
  const width = (from: number, to: number, sizePx: number): number =>
    textWidth(whole.slice(from, to), sizePx, style.weight)
  block.lines.forEach((line, index) => {
    const { x, top, sizePx } = lineSpot(v, index, scale)
    const base = { clip: v.visible, opacity }
    const rtl = isRtl(line.text)
    /** Returns the x position at a width from the line's start. */
    const at = (distance: number): number => (rtl ? x + line.width - distance : x + distance)
    if (edit?.focused && !empty) {
      const from = Math.max(line.start, selectionStart(edit.state))
      const to = Math.min(line.end, selectionEnd(edit.state))
      if (from < to) {
        const ends = [at(width(line.start, from, sizePx)), at(width(line.start, to, sizePx))]
        const rect = {
          left: Math.min(...ends),
          right: Math.max(...ends),
          top,
          bottom: top + block.lineHeight,
        }
        out.push({ ...base, kind: 'fill', rect, color: edit.selectionColor })
      }
    }
    const color = empty ? edit.hintColor : style.color
    const baseline = Math.round(top + block.lineHeight * 0.5 + sizePx * 0.355)
    if (line.text !== '')
      out.push({
        ...base,
        kind: 'text',
        text: line.text,
        x,
        baseline,
        sizePx,
        weight: style.weight,
        color,
        rtl,
      })
    if (edit?.focused && edit.state.anchor === edit.state.head) {
      const head = empty ? 0 : edit.state.head
      const next = block.lines[index + 1]
      const here =
        head >= line.start &&
        (empty ? index === 0 : head <= line.end) &&
        !(next && head >= next.start && head !== line.end)
      const onThis = here && !(next && next.start === head)
      if (onThis) {
        const left = Math.round(empty ? x : at(width(line.start, head, sizePx)))
        const thick = Math.max(2, Math.round(2 * scale.density))
        const rect = { left, right: left + thick, top: top + 4, bottom: top + block.lineHeight - 4 }
        out.push({ ...base, kind: 'fill', rect, color: edit.cursorColor })
      }
    }
  })
}

function collect(v: View, scale: LayoutScale, inherited: number, out: DrawStep[]): void {
  if (isEmpty(v.visible)) return
  const opacity = inherited * v.opacity
  const base = { clip: v.parent?.visible ?? v.visible, opacity, unit: scale.density }
  if (v.box) out.push({ ...base, kind: 'box', rect: v.rect, box: v.box })
  if (v.mark) {
    const rect = innerRect(v, scale)
    if (widthOf(rect) > 0 && heightOf(rect) > 0)
      out.push({ ...base, clip: v.visible, kind: 'mark', mark: v.mark, rect })
  }
  textSteps(v, scale, opacity, out)
  for (const child of v.children) collect(child, scale, opacity, out)
}

/** Returns the steps in drawing order, from back to front. */
export function displayList(root: View, scale: LayoutScale): DrawStep[] {
  const out: DrawStep[] = []
  collect(root, scale, 1, out)
  return out
}
