/**
 * Extracts an APK's launcher icon if it is a bitmap: PNG or WebP of the density that suits this phone. For an
 * XML icon (adaptive or vector), only the bitmap for older Android versions is used, if it exists. Used by
 * `apk.ts`.
 */
import type { XmlElement } from './binary-xml.js'
import type { Value } from './chunks.js'
import { resourceFiles } from './resources.js'
import { type ZipFile } from './zip.js'

/** Larger images do not count as icons. */
const maxBytes = 256 * 1024
const maxSide = 1024
/** Dots per inch: a launcher on this screen uses xxhdpi. */
const wantedDensity = 480

/**
 * Returns the file's bytes in Base64, so that they can be saved; null without a bitmap. @throws ZipError or RangeError
 */
export async function readIcon(
  application: XmlElement | undefined,
  table: Buffer | null,
  zip: ZipFile,
): Promise<string | null> {
  for (const path of paths(application?.attributes.get('icon'), table)) {
    const entry = zip.entries.get(path)
    if (entry === undefined || Math.max(entry.bytes, entry.storedBytes) > maxBytes) continue
    const bytes = await zip.read(path, maxBytes)
    const size = bytes === null ? null : pictureSize(bytes)
    const sound = size !== null && Math.min(...size) > 0 && Math.max(...size) <= maxSide
    if (bytes !== null && sound) return bytes.toString('base64')
  }
  return null
}

/** Sorts by suitability: at least the wanted density and as close to it as possible, then the largest. */
function paths(icon: Value | undefined, table: Buffer | null): string[] {
  if (typeof icon === 'string') return [icon]
  if (typeof icon !== 'object' || icon === null || table === null) return []
  const rank = (density: number): number => (density >= wantedDensity ? density : 100_000 - density)
  return resourceFiles(table, icon.resource)
    .filter(({ path }) => /\.(png|webp)$/i.test(path))
    .sort((a, b) => rank(a.density) - rank(b.density))
    .map(({ path }) => path)
}

/**
 * Reads width and height from the header, so that an image that would fill the memory is never decoded. Null
 * for files that are neither PNG nor WebP. Sources: PNG specification 11.2.2; WebP container (RFC 9649), VP8
 * (RFC 6386).
 */
export function pictureSize(bytes: Buffer): [width: number, height: number] | null {
  if (bytes.length < 30) return null
  if (bytes.toString('latin1', 1, 4) === 'PNG') return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return null
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1]
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
    }
    case 'VP8 ':
      return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff]
    default:
      return null
  }
}
