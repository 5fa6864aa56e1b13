/**
 * Pictures of the screen for `observe`, `screenshot` and batches: PNG or JPEG, at the
 * requested width, always under the size limit of an answer.
 */
import { DeadlineExceeded, limits, type ObservationScreenshot, type Progress } from '@phonerack/shared'
import sharp from 'sharp'
import type { Device, Size } from '../adb/device/device.js'
import { measured } from '../base/metrics/instruments.js'
import { inParallel } from './in-parallel.js'
import { readFailure, ScreenImageError } from './errors.js'

export interface ScreenshotOptions {
  format: 'png' | 'jpeg'
  /** Pixels; default: the screen's width. A picture is never enlarged. */
  maxWidth?: number | undefined
  /** For JPEG, 30 to 95; default: 70. */
  quality?: number | undefined
  /** SVG of this size that is drawn over the picture. */
  overlay?: ((size: Size) => Buffer) | undefined
}

export interface Screenshot {
  image: Uint8Array
  format: 'png' | 'jpeg'
  /** Pixels of the image. */
  width: number
  height: number
  /** Device pixels. */
  screenWidth: number
  screenHeight: number
  /** Image width divided by screen width. */
  scale: number
  /** The screen shows a window that forbids screenshots. The window is black in the image. */
  secure: boolean
}

/** The phone's screenshot, with the screen's size in the same rotation. */
export interface Picture {
  png: Uint8Array
  screen: Size
  secure: boolean
}

/** Twice the pixels of an 8K screen. No phone has a larger screen. */
export const maxPixels = 70_000_000
const secureLimitMs = 5000

// Every picture is used once, so a cache would only waste memory.
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
    const picture = await readPicture(device, progress)
    return await progress.race('making the screenshot', () =>
      makeScreenshot(picture, options, limits.screenAnswer),
    )
  } catch (error) {
    throw readFailure(error)
  }
}

/** Reads protected windows separately: in a picture they are only black. */
export const readPicture = (device: Device, progress: Progress): Promise<Picture> =>
  measured('screenshot', () => readAll(device, progress))

async function readAll(device: Device, progress: Progress): Promise<Picture> {
  const [[png, size], secure] = await inParallel(
    () =>
      inParallel(
        () => device.screen.png(progress),
        () => device.screen.size(progress),
      ),
    () => isSecure(device, progress),
  )
  const picture = pngSize(png)
  const turned = picture.width > picture.height !== size.width > size.height
  // The phone was rotated between the two reads, or its picture is square.
  return { png, screen: turned ? await device.screen.size(progress) : size, secure }
}

/**
 * False also when the phone does not answer within `secureLimitMs`: a picture without this flag is better than no
 * picture.
 */
async function isSecure(device: Device, progress: Progress): Promise<boolean> {
  try {
    return (await device.secureWindow.read(progress.within(secureLimitMs), true)).secure
  } catch (error) {
    if (error instanceof DeadlineExceeded && !progress.expired) return false
    throw error
  }
}

/**
 * Makes the answer's picture from the phone's PNG, scaled down until it has fewer bytes
 * than `maxBytes`.
 * @throws ScreenImageError
 */
export const makeScreenshot = (
  picture: Picture,
  options: ScreenshotOptions,
  maxBytes: number,
): Promise<Screenshot> => measured('encode', () => encodeWithin(picture, options, maxBytes))

async function encodeWithin(
  { png, screen, secure }: Picture,
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
    secure,
  })
  let width = Math.min(source.width, screen.width, options.maxWidth ?? source.width)
  const isUnchanged = options.format === 'png' && width === source.width && !options.overlay
  if (isUnchanged && png.byteLength < maxBytes) return finish(png, source.width, source.height)

  for (;;) {
    const { data, info } = await encode(png, width, source, options)
    if (data.byteLength < maxBytes) return finish(data, info.width, info.height)
    if (width === 1) throw new ScreenImageError(`one pixel takes more than ${maxBytes} bytes`)
    // Bytes grow with the square of the width. Slightly smaller, so that one more round
    // is usually enough.
    const narrower = Math.floor(width * Math.sqrt(maxBytes / data.byteLength) * 0.95)
    width = Math.max(1, Math.min(width - 1, narrower))
  }
}

async function encode(
  png: Uint8Array,
  width: number,
  source: Size,
  options: ScreenshotOptions,
): Promise<{ data: Uint8Array; info: { width: number; height: number } }> {
  try {
    const picture = sharp(png, { limitInputPixels: maxPixels, failOn: 'error' })
    const height = Math.max(1, Math.round((source.height * width) / source.width))
    const narrower = width < source.width ? picture.resize({ width, height, fit: 'fill' }) : picture
    const sized = options.overlay
      ? narrower.composite([{ input: options.overlay({ width, height }) }])
      : narrower
    const encoded =
      options.format === 'png'
        ? sized.png()
        : sized
            .flatten({ background: '#000' })
            .jpeg({ quality: options.quality ?? limits.screenshot.defaultQuality })
    return await encoded.toBuffer({ resolveWithObject: true })
  } catch (error) {
    throw new ScreenImageError('the PNG cannot be decoded', error)
  }
}

/**
 * Returns the width and height from the header (PNG specification, 11.2.2 IHDR), without decoding.
 * @throws ScreenImageError
 */
export function pngSize(png: Uint8Array): Size {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength)
  const isPng =
    bytes.length > 24 && bytes.readUInt32BE(0) === 0x89504e47 && bytes.readUInt32BE(12) === 0x49484452
  if (!isPng) throw new ScreenImageError(`${bytes.length} bytes that are not a PNG`)
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (size.width === 0 || size.height === 0 || size.width * size.height > maxPixels)
    throw new ScreenImageError(`a PNG of ${size.width}x${size.height}`)
  return size
}

/** Converts to the form of an observation. */
export const toJson = (shot: Screenshot): ObservationScreenshot => ({
  format: shot.format,
  width: shot.width,
  height: shot.height,
  scale: shot.scale,
  data: Buffer.from(shot.image).toString('base64'),
  ...(shot.secure ? { secure: true as const } : {}),
})
