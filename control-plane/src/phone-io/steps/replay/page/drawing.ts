/** Draws a screen from its elements, with the picture below them and the touches of a step above them. */
import type { Action, Frame, Screen, Step } from './model.js'
import { make, visible } from './dom.js'

export interface Shown {
  refs: boolean
  touches: boolean
  picture: boolean
}

interface Size {
  width: number
  height: number
}

/** The number of characters that are drawn of an element's text. */
const drawn = 500

/** Positions an element at a box in device pixels. */
function place(
  box: HTMLElement,
  [left, top, right, bottom]: readonly number[],
  { width, height }: Size,
): void {
  const at = (value: number | undefined, of: number): string => `${((value ?? 0) / of) * 100}%`
  box.style.left = at(left, width)
  box.style.top = at(top, height)
  box.style.width = at((right ?? 0) - (left ?? 0), width)
  box.style.height = at((bottom ?? 0) - (top ?? 0), height)
}

export function drawFrame(into: HTMLElement, frame: Frame, shown: Shown): void {
  into.replaceChildren()
  const { screen, step, part } = frame
  const size: Size = screen?.screen ?? { width: 1080, height: 2400 }
  into.style.aspectRatio = `${size.width} / ${size.height}`
  into.classList.toggle('wide', size.width > size.height)
  const data = shown.picture ? frame.picture?.data : undefined
  if (data !== undefined) {
    const image = make('img', { class: 'picture' })
    image.alt = 'Picture of the screen'
    image.src = `data:image/${frame.picture?.format === 'png' ? 'png' : 'jpeg'};base64,${data}`
    into.append(image)
  }
  into.classList.toggle('pictured', data !== undefined)
  if (screen) drawElements(into, screen, shown.refs)
  else if (data === undefined) into.append(make('p', { class: 'nothing', text: 'No screen was read here.' }))
  if (part === 'before' && shown.touches) drawTouches(into, step, size)
}

function drawElements(into: HTMLElement, screen: Screen, withRefs: boolean): void {
  if (screen.screen.on === false) into.append(make('p', { class: 'nothing', text: 'The screen is off.' }))
  // Large elements are drawn first, so that small elements stay on top.
  const area = ([left, top, right, bottom]: readonly number[]): number =>
    ((right ?? 0) - (left ?? 0)) * ((bottom ?? 0) - (top ?? 0))
  for (const element of screen.elements.toSorted((a, b) => area(b.bounds) - area(a.bounds))) {
    const { state, type, text, desc, bounds, ref } = element
    const classes = ['element', ...state.filter((word) => /^[a-z_]+$/.test(word)), kindOf(type)]
    const box = make('div', { class: classes.join(' ') })
    place(box, bounds, screen.screen)
    const words = text ?? desc
    if (words !== null && words !== '')
      box.append(make('bdi', { class: 'words', text: visible(Array.from(words).slice(0, drawn).join('')) }))
    if (state.includes('checkable')) box.append(make('span', { class: 'check' }))
    if (withRefs) box.append(make('span', { class: 'ref', text: String(ref) }))
    into.append(box)
  }
}

/** The classes of elements that look different. */
function kindOf(type: string): string {
  if (/Button|Chip|Fab/i.test(type)) return 'button'
  if (/Image|Icon/i.test(type)) return 'image'
  if (/Switch|Check|Radio|Toggle/i.test(type)) return 'switch'
  return 'plain'
}

const svg = 'http://www.w3.org/2000/svg'

function shape(name: string, fields: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(svg, name)
  for (const [field, value] of Object.entries(fields)) made.setAttribute(field, String(value))
  return made
}

type Point = readonly [number, number]

/** Returns the point of a target, if it has one. */
function pointOf(target: unknown): Point | null {
  if (typeof target !== 'object' || target === null || !('x' in target) || !('y' in target)) return null
  return [Number(target.x), Number(target.y)]
}

function drawTouches(into: HTMLElement, { actions, results, by }: Step, size: Size): void {
  const layer = shape('svg', { class: 'touches', viewBox: `0 0 ${size.width} ${size.height}` })
  const radius = Math.min(size.width, size.height) / 22
  actions.forEach((action, index) => {
    const result = results.find((each) => each.index === index)
    if (!result && by.via !== 'live') return
    const center = result?.resolved?.center ?? pointOf(action['target'])
    const ends = endsOf(action, size, center)
    if (ends) layer.append(arrow(ends[0], ends[1], radius))
    if (center && !ends) layer.append(finger(center, index + 1, radius, result?.ok !== false))
  })
  if (layer.childNodes.length > 0) into.append(layer)
}

/** Returns the start and end of a gesture that moves. */
function endsOf(action: Action, { width, height }: Size, center: Point | null): [Point, Point] | null {
  const [from, to] = [pointOf(action['from']), pointOf(action['to'])]
  if (from && to) return [from, to]
  if (action.type !== 'scroll') return null
  const [x, y] = center ?? [width / 2, height / 2]
  const moves: Readonly<Record<string, Point>> = {
    down: [0, -height / 4],
    up: [0, height / 4],
    right: [-width / 4, 0],
    left: [width / 4, 0],
  }
  const move = moves[String(action['direction'])]
  return move
    ? [
        [x, y],
        [x + move[0], y + move[1]],
      ]
    : null
}

function finger([x, y]: Point, number: number, radius: number, isOk: boolean): SVGElement {
  const group = shape('g', { class: isOk ? 'finger' : 'finger failed' })
  const label = shape('text', { x, y, 'font-size': radius * 0.9, 'text-anchor': 'middle', dy: '0.35em' })
  label.textContent = String(number)
  group.append(
    shape('circle', { class: 'halo', cx: x, cy: y, r: radius * 1.5 }),
    shape('circle', { cx: x, cy: y, r: radius * 0.8 }),
    label,
  )
  return group
}

function arrow([fromX, fromY]: Point, [toX, toY]: Point, radius: number): SVGElement {
  const group = shape('g', { class: 'finger' })
  group.append(
    shape('line', { x1: fromX, y1: fromY, x2: toX, y2: toY, 'stroke-width': radius / 3 }),
    shape('circle', { cx: fromX, cy: fromY, r: radius * 0.5 }),
    shape('circle', { class: 'halo', cx: toX, cy: toY, r: radius }),
  )
  return group
}
