/**
 * Places a view tree in a rectangle: measures from the leaves up, then sets
 * `rect` and `visible` from the root down. A list builds only its visible rows. Used by the window manager
 * before any drawing, dump or hit test.
 */
import { intersect, type Rect } from './geometry.js'
import { type EditState } from './edit-state.js'
import { layoutText, type LaidOut, type TextBlock, type TextFormat } from './text-layout.js'
import { shownText, type Gravity, type Length, type View } from './view.js'

export interface LayoutScale {
  /** Pixels per dp. */
  density: number
  fontScale: number
}

const UNBOUNDED = 1_000_000

function across(gravity: Gravity, room: number, size: number): number {
  if (gravity === 'center') return Math.round((room - size) / 2)
  return gravity === 'end' ? room - size : 0
}

/** Returns the area inside a placed view's padding. */
export function innerRect(v: View, scale: LayoutScale): Rect {
  const px = (dp: number): number => Math.round(dp * scale.density)
  return {
    left: v.rect.left + px(v.padding.left),
    top: v.rect.top + px(v.padding.top),
    right: v.rect.right - px(v.padding.right),
    bottom: v.rect.bottom - px(v.padding.bottom),
  }
}

/** The last text layout of each field, from which the layout of further typed text continues. */
const fields = new WeakMap<EditState, LaidOut>()

function layoutOf(v: View, room: number, format: TextFormat): TextBlock {
  const text = shownText(v)
  if (!v.edit) return layoutText(text, room, format)
  const block = layoutText(text, room, format, fields.get(v.edit.state))
  fields.set(v.edit.state, { text, room, format, block })
  return block
}

class Layout {
  constructor(private readonly scale: LayoutScale) {}

  private px(dp: number): number {
    return Math.round(dp * this.scale.density)
  }

  private length(length: Length, room: number): number | undefined {
    if (length === 'wrap' || (length === 'fill' && room >= UNBOUNDED / 2)) return undefined
    return length === 'fill' ? room : this.px(length)
  }

  /** Sets `measured`. A parent that distributes space by weight passes `exact` sizes. */
  measure(v: View, roomX: number, roomY: number, exactX?: number, exactY?: number): void {
    const fixedX = exactX ?? this.length(v.width, roomX)
    const fixedY = exactY ?? this.length(v.height, roomY)
    const padX = this.px(v.padding.left) + this.px(v.padding.right)
    const padY = this.px(v.padding.top) + this.px(v.padding.bottom)
    const innerX = Math.max(0, (fixedX ?? roomX) - padX)
    const innerY = Math.max(0, (fixedY ?? roomY) - padY)
    const content = this.content(v, innerX, innerY, fixedX !== undefined, fixedY !== undefined)
    const minX = this.px(v.minWidth)
    const minY = this.px(v.minHeight)
    v.measured = {
      width: fixedX ?? Math.min(roomX, Math.max(minX, content.width + padX)),
      height: fixedY ?? Math.min(roomY, Math.max(minY, content.height + padY)),
    }
  }

  private content(
    v: View,
    x: number,
    y: number,
    exactX: boolean,
    exactY: boolean,
  ): { width: number; height: number } {
    if (v.style) {
      const sizePx = Math.round(v.style.size * this.scale.density * this.scale.fontScale)
      // A one-line field scrolls its text to the cursor instead of truncating it.
      const endless = v.edit !== null && !v.edit.multiline && v.text !== ''
      const format = { sizePx, weight: v.style.weight, maxLines: v.style.maxLines }
      v.block = layoutOf(v, endless ? Infinity : x, format)
      return { width: Math.min(x, v.block.width), height: v.block.lines.length * v.block.lineHeight }
    }
    if (v.mark && v.children.length === 0) return this.markSize(v)
    if (v.list) return { width: x, height: Math.min(y, v.list.count * this.px(v.list.rowHeight)) }
    if (v.scroll) {
      const vertical = v.scrollDirection === 'vertical'
      return this.stack(v, vertical ? x : UNBOUNDED, vertical ? UNBOUNDED : y, vertical && exactX, false)
    }
    return this.stack(v, x, y, exactX, exactY)
  }

  private markSize(v: View): { width: number; height: number } {
    switch (v.mark?.kind) {
      case 'icon':
        return { width: this.px(v.mark.size), height: this.px(v.mark.size) }
      case 'switch':
        return { width: this.px(52), height: this.px(32) }
      case 'check':
        return { width: this.px(24), height: this.px(24) }
      default:
        return { width: this.px(40), height: this.px(40) }
    }
  }

  /** Measures children and returns their total size. */
  private stack(
    v: View,
    x: number,
    y: number,
    exactX: boolean,
    exactY: boolean,
  ): { width: number; height: number } {
    const column = v.arrangement === 'column'
    const along = v.arrangement === 'frame' ? null : column ? 'y' : 'x'
    const shares = along === 'y' ? exactY : exactX
    let used = 0
    let widest = 0
    let tallest = 0
    let weights = 0
    const margins = (c: View): { x: number; y: number } => ({
      x: this.px(c.margin.left) + this.px(c.margin.right),
      y: this.px(c.margin.top) + this.px(c.margin.bottom),
    })
    for (const c of v.children) {
      const m = margins(c)
      if (along && c.weight > 0) {
        weights += c.weight
        used += along === 'y' ? m.y : m.x
        continue
      }
      this.measure(
        c,
        Math.max(0, x - m.x - (along === 'x' ? used : 0)),
        Math.max(0, y - m.y - (along === 'y' ? used : 0)),
      )
      if (along === 'y') used += c.measured.height + m.y
      else if (along === 'x') used += c.measured.width + m.x
      widest = Math.max(widest, c.measured.width + m.x)
      tallest = Math.max(tallest, c.measured.height + m.y)
    }
    if (weights > 0) {
      const left = Math.max(0, (along === 'y' ? y : x) - used)
      for (const c of v.children.filter((child) => child.weight > 0)) {
        const share = Math.floor((left * c.weight) / weights)
        const m = margins(c)
        // A parent that is as large as its content lets the child be smaller than its share.
        if (along === 'y') this.measure(c, Math.max(0, x - m.x), share, undefined, shares ? share : undefined)
        else this.measure(c, share, Math.max(0, y - m.y), shares ? share : undefined)
        used += along === 'y' ? c.measured.height : c.measured.width
        widest = Math.max(widest, c.measured.width + m.x)
        tallest = Math.max(tallest, c.measured.height + m.y)
      }
    }
    return { width: along === 'x' ? used : widest, height: along === 'y' ? used : tallest }
  }

  place(v: View, left: number, top: number, clip: Rect): void {
    v.rect = { left, top, right: left + v.measured.width, bottom: top + v.measured.height }
    v.visible = intersect(v.rect, clip)
    const inner = innerRect(v, this.scale)
    if (v.list) {
      this.placeRows(v, inner)
      return
    }
    if (v.block && v.scroll) {
      this.scrollText(v, inner.bottom - inner.top)
      return
    }
    this.placeChildren(v, inner)
  }

  private placeChildren(v: View, inner: Rect): void {
    const roomX = inner.right - inner.left
    const roomY = inner.bottom - inner.top
    const column = v.arrangement === 'column'
    const frame = v.arrangement === 'frame'
    const outer = (c: View): number =>
      column
        ? c.measured.height + this.px(c.margin.top) + this.px(c.margin.bottom)
        : c.measured.width + this.px(c.margin.left) + this.px(c.margin.right)
    const total = frame ? 0 : v.children.reduce((sum, c) => sum + outer(c), 0)
    let at = 0
    if (v.scroll) {
      v.scroll.limit = Math.max(0, total - (v.scrollDirection === 'vertical' ? roomY : roomX))
      v.scroll.offset = Math.max(0, Math.min(v.scroll.limit, v.scroll.offset))
      at = -v.scroll.offset
    } else if (!frame) {
      at = across(column ? v.gravity.y : v.gravity.x, column ? roomY : roomX, total)
    }
    for (const c of v.children) {
      c.parent = v
      const sizeX = c.measured.width + this.px(c.margin.left) + this.px(c.margin.right)
      const sizeY = c.measured.height + this.px(c.margin.top) + this.px(c.margin.bottom)
      const x = frame || column ? across(c.place.x ?? v.gravity.x, roomX, sizeX) : at
      const y = frame || !column ? across(c.place.y ?? v.gravity.y, roomY, sizeY) : at
      this.place(c, inner.left + x + this.px(c.margin.left), inner.top + y + this.px(c.margin.top), v.visible)
      at += outer(c)
    }
  }

  /** A field that is higher than its area scrolls; a moved cursor is scrolled into view. */
  private scrollText(v: View, room: number): void {
    const { scroll, block, edit } = v
    if (!scroll || !block) return
    scroll.limit = Math.max(0, block.lines.length * block.lineHeight - room)
    const head = edit?.focused ? edit.state.head : undefined
    if (head !== undefined && head !== scroll.cursor) {
      scroll.cursor = head
      const line = Math.max(
        0,
        block.lines.findLastIndex((candidate) => candidate.start <= head),
      )
      const top = line * block.lineHeight
      scroll.offset = Math.max(Math.min(scroll.offset, top), top + block.lineHeight - room)
    }
    scroll.offset = Math.max(0, Math.min(scroll.limit, scroll.offset))
  }

  private placeRows(v: View, inner: Rect): void {
    const { list, scroll } = v
    if (!list || !scroll) return
    const height = this.px(list.rowHeight)
    const room = inner.bottom - inner.top
    scroll.limit = Math.max(0, list.count * height - room)
    scroll.offset = Math.max(0, Math.min(scroll.limit, scroll.offset))
    v.firstRow = Math.floor(scroll.offset / height)
    const last = Math.min(list.count, Math.ceil((scroll.offset + room) / height))
    v.children = []
    for (let i = v.firstRow; i < last; i++) {
      const row = list.row(i)
      row.parent = v
      v.children.push(row)
      this.measure(row, inner.right - inner.left, height, inner.right - inner.left, height)
      this.place(row, inner.left, inner.top + i * height - scroll.offset, v.visible)
    }
  }
}

/** Lays out `root` to fill `bounds`. */
export function layoutTree(root: View, bounds: Rect, scale: LayoutScale): void {
  const layout = new Layout(scale)
  const width = bounds.right - bounds.left
  const height = bounds.bottom - bounds.top
  layout.measure(root, width, height, width, height)
  layout.place(root, bounds.left, bounds.top, bounds)
}
