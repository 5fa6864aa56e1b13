/** A small picture of the screen for walls of thumbnails. Only reads the phone. Used by `devices/thumbnails.ts`. */
import { createHash } from 'node:crypto'
import { type Progress } from '@phonerack/shared'
import sharp from 'sharp'
import { createLimiter } from '../base/limiter.js'
import type { Device } from '../adb/device/device.js'
import { ScreenImageError } from './errors.js'
import { maxPixels, pngSize } from './screenshot.js'

export interface Thumbnail {
  /** WebP. */
  image: Buffer
  /** Identifies the picture. Equal pictures have the same tag. */
  tag: string
}

/** The screen shows a window that forbids screenshots, or is off. */
export type Covered = 'secure' | 'asleep'

/** Maximum pixels of a side. */
const side = 320
const maxBytes = 40_000
/** WebP qualities. The second quality is for pictures that are too large at the first. */
const qualities = [60, 15] as const
/** Thumbnails of all phones take at most one processor, since the pictures of agents need processor time, too. */
const one = createLimiter(1)

/**
 * Takes a thumbnail, or returns why the screen has none. A screen in an unknown state is an error, so that its picture
 * is not shown.
 * @throws ScreenImageError, DeviceGone, DeadlineExceeded, ApiError
 */
export async function takeThumbnail(device: Device, progress: Progress): Promise<Thumbnail | Covered> {
  const { asleep, secure } = await device.secureWindow.read(progress)
  if (asleep) return 'asleep'
  if (secure) return 'secure'
  const png = await device.screen.png(progress)
  return progress.race('making a thumbnail', () =>
    one(() => {
      progress.check('making a thumbnail')
      return makeThumbnail(png)
    }),
  )
}

/** @throws ScreenImageError */
export async function makeThumbnail(png: Uint8Array): Promise<Thumbnail> {
  // Refuses a picture that is too large before it is decoded.
  pngSize(png)
  for (const quality of qualities) {
    const image = await encode(png, quality)
    if (image.length <= maxBytes) return { image, tag: tagOf(image) }
  }
  throw new ScreenImageError(`a thumbnail has more than ${maxBytes} bytes`)
}

async function encode(png: Uint8Array, quality: number): Promise<Buffer> {
  try {
    return await sharp(png, { limitInputPixels: maxPixels, failOn: 'error' })
      .flatten({ background: '#000' })
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .webp({ quality, effort: 1 })
      .toBuffer()
  } catch (error) {
    throw new ScreenImageError('the PNG cannot be decoded', error)
  }
}

const tagOf = (image: Buffer): string => createHash('sha256').update(image).digest('base64url').slice(0, 22)
