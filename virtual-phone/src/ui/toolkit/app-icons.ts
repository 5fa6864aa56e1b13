/** Decoded bitmaps of app icons, shared by all worlds of the process. Used by `paint.ts`. */
import { Image } from '@napi-rs/canvas'

const KEPT = 100
const images = new Map<string, Image | null>()

/** @param base64 of a PNG or WebP whose size was checked; null when it cannot be decoded */
export function iconImage(base64: string): Image | null {
  const known = images.get(base64)
  if (known !== undefined) return known
  const image = decoded(Buffer.from(base64, 'base64'))
  if (images.size >= KEPT) images.clear()
  images.set(base64, image)
  return image
}

function decoded(bytes: Buffer): Image | null {
  const image = new Image()
  // Without a listener, a damaged image throws. A damaged image also has no width.
  image.onerror = () => undefined
  image.src = bytes
  return image.width === 0 ? null : image
}
