/**
 * Draws numbered frames around elements as SVG, for an annotated screenshot. Digits are
 * strokes, so that the SVG needs no font and contains no text of an app. Pure.
 */
import type { Size } from '../adb/device/device.js'
import type { ScreenElement } from './elements.js'
import { intersect, type Bounds } from './geometry.js'

/** Pixels for a picture of `usualWidth`, which scale with the width of the picture. */
const usualWidth = 540
const digit = { width: 6, height: 10, gap: 4, padding: 4 }
const line = 2
/** Width of the white edge on each side of a frame, for backgrounds of the same colour. */
const edge = 1
/** Each colour has enough contrast with white digits. */
const colors = ['#c62828', '#1565c0', '#2e7d32', '#6a1b9a', '#ad5700', '#00696f']

/** The seven segments of a digit, by the corner at which each starts. */
const segments = {
  a: 'M0 0h6',
  b: 'M6 0v5',
  c: 'M6 5v5',
  d: 'M0 10h6',
  e: 'M0 5v5',
  f: 'M0 0v5',
  g: 'M0 5h6',
} as const
const digits = ['abcdef', 'bc', 'abged', 'abgcd', 'fgbc', 'afgcd', 'afgedc', 'abc', 'abcdefg', 'abcdfg'].map(
  (names) => Array.from(names, (name) => segments[name as keyof typeof segments]).join(''),
)

type Marked = Pick<ScreenElement, 'ref' | 'bounds'>

/** Returns an SVG of the picture's size. `screen`: the size that the bounds refer to. */
export function marksSvg(elements: readonly Marked[], screen: Size, picture: Size): string {
  const [sx, sy] = [picture.width / screen.width, picture.height / screen.height]
  const scale = Math.max(1, Math.round(picture.width / usualWidth))
  const taken: Bounds[] = []
  const marks = elements.map(({ ref, bounds: [left, top, right, bottom] }) => {
    const frame: Bounds = [
      Math.floor(left * sx),
      Math.floor(top * sy),
      Math.max(Math.ceil(right * sx), Math.floor(left * sx) + 1),
      Math.max(Math.ceil(bottom * sy), Math.floor(top * sy) + 1),
    ]
    const color = colors[ref % colors.length] ?? ''
    const label = place(sizeOf(ref, scale), frame, picture, taken)
    taken.push(label)
    return { frame: drawFrame(frame, color), label: drawLabel(ref, label, color, scale) }
  })
  // Frames come first, so that no frame is drawn over a number.
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${picture.width}" height="${picture.height}">${marks
    .map(({ frame }) => frame)
    .join('')}${marks.map(({ label }) => label).join('')}</svg>`
}

const sizeOf = (ref: number, scale: number): Size => {
  const count = String(ref).length
  return {
    width: scale * (count * digit.width + (count - 1) * digit.gap + 2 * digit.padding),
    height: scale * (digit.height + 2 * digit.padding),
  }
}

/** Returns a position on the frame without another number; the first corner when all positions are taken. */
function place({ width, height }: Size, frame: Bounds, picture: Size, taken: readonly Bounds[]): Bounds {
  const [left, top, right, bottom] = frame
  const corners = [
    [left, top],
    [right - width, top],
    [left, bottom - height],
    [right - width, bottom - height],
    [Math.floor((left + right - width) / 2), top],
  ] as const
  const labels = corners.map(([x, y]): Bounds => {
    const [inX, inY] = [clamp(x, picture.width - width), clamp(y, picture.height - height)]
    return [inX, inY, inX + width, inY + height]
  })
  const free = labels.find((label) => !taken.some((other) => intersect(label, other)))
  return free ?? labels[0] ?? frame
}

const clamp = (value: number, max: number): number => Math.max(0, Math.min(value, max))

function drawFrame([left, top, right, bottom]: Bounds, color: string): string {
  const inset = edge + line / 2
  const [width, height] = [Math.max(1, right - left - 2 * inset), Math.max(1, bottom - top - 2 * inset)]
  const stroke = (of: string, thickness: number): string =>
    `<rect x="${left + inset}" y="${top + inset}" width="${width}" height="${height}" fill="none" stroke="${of}" stroke-width="${thickness}"/>`
  return stroke('#fff', line + 2 * edge) + stroke(color, line)
}

function drawLabel(ref: number, [left, top, right, bottom]: Bounds, color: string, scale: number): string {
  const strokes = Array.from(String(ref), (character, index) => {
    const x = digit.padding + index * (digit.width + digit.gap)
    return `<path transform="translate(${x} ${digit.padding})" d="${digits[Number(character)] ?? ''}"/>`
  })
  return `<rect x="${left}" y="${top}" width="${right - left}" height="${bottom - top}" fill="${color}"/><g transform="translate(${left} ${top}) scale(${scale})" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="square">${strokes.join('')}</g>`
}
