/**
 * Pictures of the screen for `observe`, `screenshot` and batches: PNG or JPEG,
 * as wide as asked, always under the limit of an answer.
 */
import { limits, type Progress } from '@phonerack/shared'
import sharp from 'sharp'
import type { Device, Size } from '../device/device.js'
import { atOnce } from './at-once.js'
import { readFailure, ScreenImageError } from './errors.js'

export interface ScreenshotOptions {
  format: 'png' | 'jpeg'
  /** Pixels; left out: the screen's width. A picture is never enlarged. */
  maxWidth?: number | undefined
  /** Of JPEG, 30 to 95; left out: 70. */
  quality?: number | undefined
}

export interface Screenshot {
  image: Uint8Array
  format: 'png' | 'jpeg'
  /** Of the image, in pixels. */
  width: number
  height: number
  /** Device pixels. */
  screenWidth: number
  screenHeight: number
  /** Image width divided by screen width. */
  scale: number
}

/** Twice an 8K screen: what is larger is no phone's screen. */
const maxPixels = 70_000_000

// Every picture is seen once: a cache would only hold memory.
sharp.cache(false)

/**
 * Reads the screen as a picture.
 * @throws ApiError phone_unavailable, provider_timeout, provider_error
 */
export async function takeScreenshot(
  device: Device,
  options: ScreenshotOptions,
  progress: Progress,
): Promise<Screenshot> {
  try {
    const { png, screen } = await readPicture(device, progress)
    return await progress.race('making the screenshot', () =>
      makeScreenshot(png, screen, options, limits.screenAnswer),
    )
  } catch (error) {
    throw readFailure(error)
  }
}

/** The picture and the screen's size at the same rotation. */
export async function readPicture(
  device: Device,
  progress: Progress,
): Promise<{ png: Uint8Array; screen: Size }> {
  const [png, size] = await atOnce(
    () => device.screen.png(progress),
    () => device.screen.size(progress),
  )
  const picture = pngSize(png)
  const turned = picture.width > picture.height !== size.width > size.height
  // The phone was turned between the two reads, or its picture is square.
  return { png, screen: turned ? await device.screen.size(progress) : size }
}

/**
 * Makes the answer's picture from the phone's PNG, narrower until it has fewer bytes than `maxBytes`.
 * @throws ScreenImageError
 */
export async function makeScreenshot(
  png: Uint8Array,
  screen: Size,
  options: ScreenshotOptions,
  maxBytes: number,
): Promise<Screenshot> {
  const source = pngSize(png)
  const finish = (image: Uint8Array, width: number, height: number): Screenshot => ({
    image,
    format: options.format,
    width,
    height,
    screenWidth: screen.width,
    screenHeight: screen.height,
    scale: width / screen.width,
  })
  let width = Math.min(source.width, screen.width, options.maxWidth ?? source.width)
  if (options.format === 'png' && width === source.width && png.byteLength < maxBytes)
    return finish(png, source.width, source.height)

  for (;;) {
    const { data, info } = await encode(png, width, source.width, options)
    if (data.byteLength < maxBytes) return finish(data, info.width, info.height)
    if (width === 1) throw new ScreenImageError(`one pixel takes more than ${maxBytes} bytes`)
    // Bytes go with the square of the width; a little less than that, so that one more round is enough.
    const narrower = Math.floor(width * Math.sqrt(maxBytes / data.byteLength) * 0.95)
    width = Math.max(1, Math.min(width - 1, narrower))
  }
}

async function encode(
  png: Uint8Array,
  width: number,
  sourceWidth: number,
  options: ScreenshotOptions,
): Promise<{ data: Uint8Array; info: { width: number; height: number } }> {
  try {
    const picture = sharp(png, { limitInputPixels: maxPixels, failOn: 'error' })
    const sized = width < sourceWidth ? picture.resize({ width }) : picture
    const encoded =
      options.format === 'png'
        ? sized.png()
        : sized.flatten({ background: '#000' }).jpeg({
            quality: options.quality ?? limits.screenshot.defaultQuality,
          })
    return await encoded.toBuffer({ resolveWithObject: true })
  } catch (error) {
    throw new ScreenImageError('it is no PNG that can be decoded', error)
  }
}

/**
 * Width and height from the header (PNG specification, 11.2.2 IHDR), without decoding.
 * @throws ScreenImageError
 */
export function pngSize(png: Uint8Array): Size {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength)
  const isPng =
    bytes.length > 24 && bytes.readUInt32BE(0) === 0x89504e47 && bytes.readUInt32BE(12) === 0x49484452
  if (!isPng) throw new ScreenImageError(`${bytes.length} bytes that are no PNG`)
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (size.width === 0 || size.height === 0 || size.width * size.height > maxPixels)
    throw new ScreenImageError(`a PNG of ${size.width}x${size.height}`)
  return size
}
