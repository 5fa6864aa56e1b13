/** Draws a display list on a canvas. Only this file and `pictures.ts` use the canvas's drawing calls. */
import { type SKRSContext2D } from '@napi-rs/canvas'
import { iconImage } from './app-icons.js'
import { type DrawStep } from './display-list.js'
import { iconFont, textFont } from './fonts.js'
import { heightOf, widthOf, type Rect } from './geometry.js'
import { drawPicture } from './pictures.js'
import { type Box, type Mark } from './view.js'

function boxPath(ctx: SKRSContext2D, rect: Rect, box: Box, unit: number): void {
  const height = heightOf(rect)
  const radius = Math.min(
    box.radius === 'full' ? height / 2 : box.radius * unit,
    height / 2,
    widthOf(rect) / 2,
  )
  ctx.beginPath()
  ctx.roundRect(rect.left, rect.top, widthOf(rect), height, box.topOnly ? [radius, radius, 0, 0] : radius)
}

function drawBox(ctx: SKRSContext2D, rect: Rect, box: Box, unit: number): void {
  if (box.shadow) {
    ctx.shadowColor = 'rgba(0,0,0,0.28)'
    ctx.shadowBlur = 6 * unit
    ctx.shadowOffsetY = 2 * unit
  }
  boxPath(ctx, rect, box, unit)
  ctx.fillStyle = box.color
  ctx.fill()
  ctx.shadowColor = 'transparent'
  ctx.shadowBlur = 0
  ctx.shadowOffsetY = 0
  if (box.border) {
    const inset = (box.border.width * unit) / 2
    const inner = {
      left: rect.left + inset,
      top: rect.top + inset,
      right: rect.right - inset,
      bottom: rect.bottom - inset,
    }
    boxPath(ctx, inner, box, unit)
    ctx.strokeStyle = box.border.color
    ctx.lineWidth = box.border.width * unit
    ctx.stroke()
  }
}

function circle(ctx: SKRSContext2D, x: number, y: number, radius: number): void {
  ctx.beginPath()
  ctx.arc(x, y, radius, 0, Math.PI * 2)
}

function drawGlyph(
  ctx: SKRSContext2D,
  name: string,
  x: number,
  y: number,
  sizePx: number,
  color: string,
): void {
  ctx.font = iconFont(sizePx)
  ctx.textAlign = 'left'
  ctx.fillStyle = color
  ctx.fillText(name, x - sizePx / 2, y + sizePx / 2)
}

function drawSwitch(
  ctx: SKRSContext2D,
  mark: Extract<Mark, { kind: 'switch' }>,
  rect: Rect,
  unit: number,
): void {
  const middle = (rect.top + rect.bottom) / 2
  const track = {
    left: rect.right - 52 * unit,
    right: rect.right,
    top: middle - 16 * unit,
    bottom: middle + 16 * unit,
  }
  const border = mark.on ? {} : { border: { color: mark.color, width: 2 } }
  drawBox(ctx, track, { color: mark.track, radius: 'full', ...border }, unit)
  circle(ctx, mark.on ? track.right - 16 * unit : track.left + 16 * unit, middle, (mark.on ? 12 : 8) * unit)
  ctx.fillStyle = mark.color
  ctx.fill()
}

function drawSlider(
  ctx: SKRSContext2D,
  mark: Extract<Mark, { kind: 'slider' }>,
  rect: Rect,
  unit: number,
): void {
  const middle = (rect.top + rect.bottom) / 2
  const at = rect.left + widthOf(rect) * mark.value
  const bar = (left: number, right: number, color: string): void => {
    if (right <= left) return
    drawBox(
      ctx,
      { left, right, top: middle - 3 * unit, bottom: middle + 3 * unit },
      { color, radius: 'full' },
      unit,
    )
  }
  bar(rect.left, rect.right, mark.track)
  bar(rect.left, at, mark.color)
  circle(ctx, at, middle, 10 * unit)
  ctx.fillStyle = mark.color
  ctx.fill()
}

/** Draws a clock face; the hands are in turns from twelve o'clock. */
function drawDial(ctx: SKRSContext2D, mark: Extract<Mark, { kind: 'dial' }>, rect: Rect): void {
  const x = (rect.left + rect.right) / 2
  const y = (rect.top + rect.bottom) / 2
  const radius = Math.min(widthOf(rect), heightOf(rect)) / 2
  const stroke = (turn: number, from: number, to: number, width: number, color: string): void => {
    const angle = turn * Math.PI * 2
    ctx.beginPath()
    ctx.moveTo(x + Math.sin(angle) * from * radius, y - Math.cos(angle) * from * radius)
    ctx.lineTo(x + Math.sin(angle) * to * radius, y - Math.cos(angle) * to * radius)
    ctx.lineWidth = width * radius
    ctx.lineCap = 'round'
    ctx.strokeStyle = color
    ctx.stroke()
  }
  circle(ctx, x, y, radius)
  ctx.fillStyle = mark.face
  ctx.fill()
  for (let i = 0; i < 12; i++) stroke(i / 12, 0.86, 0.93, i % 3 === 0 ? 0.03 : 0.015, mark.color)
  stroke(mark.hour, 0, 0.5, 0.055, mark.color)
  stroke(mark.minute, 0, 0.74, 0.04, mark.color)
  stroke(mark.second, -0.15, 0.82, 0.018, mark.accent)
  circle(ctx, x, y, radius * 0.045)
  ctx.fillStyle = mark.accent
  ctx.fill()
}

function drawMark(ctx: SKRSContext2D, mark: Mark, rect: Rect, unit: number): void {
  const x = (rect.left + rect.right) / 2
  const y = (rect.top + rect.bottom) / 2
  switch (mark.kind) {
    case 'icon':
      drawGlyph(ctx, mark.glyph, x, y, mark.size * unit, mark.color)
      return
    case 'image': {
      const image = iconImage(mark.base64)
      if (image) ctx.drawImage(image, rect.left, rect.top, widthOf(rect), heightOf(rect))
      return
    }
    case 'initial':
      ctx.font = textFont(mark.size * unit, 500)
      ctx.fillStyle = mark.color
      ctx.textAlign = 'center'
      ctx.fillText(mark.text, x, y + mark.size * unit * 0.36)
      ctx.textAlign = 'left'
      return
    case 'switch':
      drawSwitch(ctx, mark, rect, unit)
      return
    case 'check': {
      const name =
        mark.shape === 'box'
          ? mark.on
            ? 'check_box'
            : 'check_box_outline_blank'
          : mark.on
            ? 'radio_button_checked'
            : 'radio_button_unchecked'
      drawGlyph(ctx, name, x, y, 24 * unit, mark.on ? mark.color : mark.outline)
      return
    }
    case 'slider':
      drawSlider(ctx, mark, rect, unit)
      return
    case 'dial':
      drawDial(ctx, mark, rect)
      return
    case 'picture':
      drawPicture(ctx, mark, rect, unit)
  }
}

function drawStep(ctx: SKRSContext2D, step: DrawStep): void {
  ctx.globalAlpha = step.opacity
  switch (step.kind) {
    case 'box':
      drawBox(ctx, step.rect, step.box, step.unit)
      return
    case 'fill':
      ctx.fillStyle = step.color
      ctx.fillRect(step.rect.left, step.rect.top, widthOf(step.rect), heightOf(step.rect))
      return
    case 'text':
      ctx.font = textFont(step.sizePx, step.weight)
      ctx.fillStyle = step.color
      ctx.direction = step.rtl ? 'rtl' : 'ltr'
      ctx.textAlign = 'left'
      ctx.fillText(step.text, step.x, step.baseline)
      return
    case 'mark':
      ctx.direction = 'ltr'
      drawMark(ctx, step.mark, step.rect, step.unit)
  }
}

/** Draws every step inside the step's clip. */
export function paint(ctx: SKRSContext2D, steps: readonly DrawStep[]): void {
  let clip: Rect | undefined
  let saved = false
  for (const step of steps) {
    if (step.clip !== clip) {
      if (saved) ctx.restore()
      ctx.save()
      saved = true
      ctx.beginPath()
      ctx.rect(step.clip.left, step.clip.top, widthOf(step.clip), heightOf(step.clip))
      ctx.clip()
      clip = step.clip
    }
    drawStep(ctx, step)
  }
  if (saved) ctx.restore()
}
