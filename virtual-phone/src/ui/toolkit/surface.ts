/** Renders display lists to pixels and PNG. Canvases are shared by all worlds of the process and reused. */
import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import { createCanvas, type Canvas } from '@napi-rs/canvas'
import { type DrawStep } from './display-list.js'
import { paint } from './paint.js'

const deflateAsync = promisify(deflate)
/** The most recently used canvases: the canvas of a screenshot and the canvases of videos. */
const CANVASES = 3
const canvases = new Map<string, Canvas>()

function canvasOf(width: number, height: number): Canvas {
  const key = `${width}x${height}`
  const canvas = canvases.get(key) ?? createCanvas(width, height)
  canvases.delete(key)
  canvases.set(key, canvas)
  for (const oldest of canvases.keys()) {
    if (canvases.size <= CANVASES) break
    canvases.delete(oldest)
  }
  return canvas
}

/**
 * Returns width × height × 4 bytes, RGBA, opaque.
 * @param size of the picture; the steps, made for width × height, are scaled to it
 */
export function renderRgba(
  width: number,
  height: number,
  steps: readonly DrawStep[],
  size: { width: number; height: number } = { width, height },
): Buffer {
  const ctx = canvasOf(size.width, size.height).getContext('2d')
  ctx.save()
  try {
    ctx.scale(size.width / width, size.height / height)
    ctx.globalAlpha = 1
    ctx.fillStyle = '#000000'
    ctx.fillRect(0, 0, width, height)
    paint(ctx, steps)
  } finally {
    ctx.restore()
  }
  return Buffer.from(ctx.getImageData(0, 0, size.width, size.height).data.buffer)
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/**
 * Returns a PNG, 8-bit RGBA as `screencap` writes it. Rows are unfiltered and deflated at level 1, which is
 * several times faster than the canvas's encoder.
 */
export async function encodePng(width: number, height: number, rgba: Buffer): Promise<Buffer> {
  const stride = width * 4
  const rows = Buffer.allocUnsafe((stride + 1) * height)
  for (let y = 0; y < height; y++) {
    rows[y * (stride + 1)] = 0
    rgba.copy(rows, y * (stride + 1) + 1, y * stride, (y + 1) * stride)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const pixels = await deflateAsync(rows, { level: 1 })
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
