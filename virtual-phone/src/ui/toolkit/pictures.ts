/** Procedural pictures: the wallpaper, the gallery's photos and film, and the map. All deterministic. */
import { type SKRSContext2D } from '@napi-rs/canvas'
import { heightOf, widthOf, type Rect } from './geometry.js'
import { type Mark } from './view.js'

type Picture = Extract<Mark, { kind: 'picture' }>
type Draw = (ctx: SKRSContext2D, w: number, h: number, at: number) => void

function gradient(ctx: SKRSContext2D, w: number, h: number, stops: readonly string[]): void {
  const fill = ctx.createLinearGradient(0, 0, 0, h)
  stops.forEach((color, i) => fill.addColorStop(i / (stops.length - 1), color))
  ctx.fillStyle = fill
  ctx.fillRect(0, 0, w, h)
}

function hill(
  ctx: SKRSContext2D,
  w: number,
  h: number,
  base: number,
  swing: number,
  phase: number,
  color: string,
): void {
  ctx.beginPath()
  ctx.moveTo(0, h)
  for (let i = 0; i <= 40; i++) {
    const x = (w * i) / 40
    ctx.lineTo(
      x,
      h * (base + swing * Math.sin(phase + i * 0.16) + swing * 0.4 * Math.sin(phase * 2 + i * 0.37)),
    )
  }
  ctx.lineTo(w, h)
  ctx.closePath()
  ctx.fillStyle = color
  ctx.fill()
}

function disc(ctx: SKRSContext2D, x: number, y: number, r: number, color: string): void {
  ctx.beginPath()
  ctx.arc(x, y, r, 0, Math.PI * 2)
  ctx.fillStyle = color
  ctx.fill()
}

function glow(ctx: SKRSContext2D, x: number, y: number, r: number, color: string): void {
  const halo = ctx.createRadialGradient(x, y, r, x, y, r * 2.4)
  halo.addColorStop(0, `${color}66`)
  halo.addColorStop(1, `${color}00`)
  ctx.fillStyle = halo
  ctx.fillRect(x - r * 2.4, y - r * 2.4, r * 4.8, r * 4.8)
  disc(ctx, x, y, r, color)
}

function landscape(sky: readonly string[], sun: string, hills: readonly string[], sunAt = 0.32): Draw {
  return (ctx, w, h) => {
    gradient(ctx, w, h, sky)
    glow(ctx, w * 0.7, h * sunAt, Math.min(w, h) * 0.1, sun)
    hills.forEach((color, i) => {
      hill(ctx, w, h, 0.6 + i * 0.12, 0.05, i * 1.7 + 0.6, color)
    })
  }
}

function map(ctx: SKRSContext2D, w: number, h: number): void {
  ctx.fillStyle = '#f2efe9'
  ctx.fillRect(0, 0, w, h)
  ctx.fillStyle = '#cfe8cf'
  ctx.fillRect(w * 0.56, h * 0.08, w * 0.3, h * 0.24)
  ctx.fillRect(w * 0.08, h * 0.62, w * 0.2, h * 0.26)
  hill(ctx, w, h, 0.9, 0.03, 1.1, '#aad3df')
  ctx.beginPath()
  for (let i = 1; i < 9; i++) {
    ctx.moveTo(0, h * i * 0.1)
    ctx.lineTo(w, h * (i * 0.1 + 0.04))
    ctx.moveTo(w * i * 0.12, 0)
    ctx.lineTo(w * (i * 0.12 - 0.05), h)
  }
  ctx.lineWidth = w * 0.009
  ctx.strokeStyle = '#ffffff'
  ctx.stroke()
  disc(ctx, w * 0.4, h * 0.47, w * 0.022, '#d93025')
  disc(ctx, w * 0.4, h * 0.47, w * 0.009, '#ffffff')
}

/** Draws a film: clouds drift over hills while the sun sets. */
function clouds(ctx: SKRSContext2D, w: number, h: number, at: number): void {
  gradient(ctx, w, h, ['#4a90d9', '#a9d3f5', '#f4e9d2'])
  glow(ctx, w * 0.75, h * (0.15 + at * 0.012), Math.min(w, h) * 0.08, '#fff3c4')
  for (let i = 0; i < 5; i++) {
    const size = Math.min(w, h) * (0.07 + 0.02 * (i % 3))
    const x = ((i * 0.27 + at * (0.03 + 0.01 * i)) % 1.4) * w - w * 0.2
    const y = h * (0.14 + 0.09 * i)
    for (const [dx, dy, r] of [
      [-1.1, 0.2, 0.7],
      [0, 0, 1],
      [1.1, 0.25, 0.75],
    ] as const)
      disc(ctx, x + dx * size, y + dy * size, r * size, '#ffffffcc')
  }
  hill(ctx, w, h, 0.76, 0.04, 0.4, '#5a8f5c')
  hill(ctx, w, h, 0.86, 0.03, 2.3, '#3c6b46')
}

const PICTURES: Record<string, Draw> = {
  wallpaper: (ctx, w, h) => {
    landscape(
      ['#2b4a8b', '#6f8fd0', '#f0b9a3', '#f6d9b8'],
      '#fff1d6',
      ['#7d6f9e', '#54568a', '#333b6b', '#1f274d'],
      0.62,
    )(ctx, w, h, 0)
  },
  dawn: landscape(['#ff9a76', '#ffd7a8', '#fff3d9'], '#ffffff', ['#c97064', '#8c4a5a', '#4f2f46']),
  lake: landscape(['#7fc8f8', '#cfeefd', '#ffffff'], '#fff4b0', ['#6fa58a', '#4a7f75', '#2d6a8c']),
  desert: landscape(['#f6d365', '#fda085', '#fbe3c0'], '#fff7e0', ['#e3a857', '#c98240', '#8f5a2b']),
  night: landscape(['#0b1030', '#1d2b64', '#4b3f72'], '#f4f1de', ['#2a2a55', '#1b1b3d', '#0f0f26']),
  map,
  clouds,
}

/** The picture moves with `Mark.at`. */
export const FILM_NAME = 'clouds'
export const PHOTO_NAMES = ['dawn', 'lake', 'desert', 'night'] as const

/** Draws a picture so that it covers `rect`, scaled about its centre and panned, both in pixels. */
export function drawPicture(ctx: SKRSContext2D, mark: Picture, rect: Rect, _unit: number): void {
  const draw = PICTURES[mark.picture]
  if (!draw) throw new Error(`There is no picture ${mark.picture}`)
  const w = widthOf(rect)
  const h = heightOf(rect)
  ctx.save()
  ctx.beginPath()
  ctx.rect(rect.left, rect.top, w, h)
  ctx.clip()
  ctx.translate(rect.left + w / 2 + mark.panX, rect.top + h / 2 + mark.panY)
  ctx.scale(mark.scale, mark.scale)
  ctx.translate(-w / 2, -h / 2)
  draw(ctx, w, h, mark.at ?? 0)
  ctx.restore()
}
