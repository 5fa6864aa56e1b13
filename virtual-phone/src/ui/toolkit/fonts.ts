/**
 * Registers the bundled fonts, because the machine may have none, and measures text
 * with them. Used by text layout and painting.
 */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createCanvas, GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas'

export type FontWeight = 400 | 500 | 700

const require = createRequire(import.meta.url)
const FALLBACKS = [
  ['PhoneArabic', '@expo-google-fonts/noto-sans-arabic', '400Regular/NotoSansArabic_400Regular.ttf'],
  ['PhoneJapanese', '@expo-google-fonts/kosugi-maru', '400Regular/KosugiMaru_400Regular.ttf'],
  ['PhoneEmoji', '@expo-google-fonts/noto-emoji', '400Regular/NotoEmoji_400Regular.ttf'],
] as const
const FONTS = [
  ['Phone400', '@expo-google-fonts/roboto', '400Regular/Roboto_400Regular.ttf'],
  ['Phone500', '@expo-google-fonts/roboto', '500Medium/Roboto_500Medium.ttf'],
  ['Phone700', '@expo-google-fonts/roboto', '700Bold/Roboto_700Bold.ttf'],
  ['PhoneIcons', '@expo-google-fonts/material-icons', '400Regular/MaterialIcons_400Regular.ttf'],
  ...FALLBACKS,
] as const

const fallbackFamilies = FALLBACKS.map(([family]) => family).join(', ')
let measuring: SKRSContext2D | undefined

function context(): SKRSContext2D {
  if (measuring) return measuring
  for (const [family, pack, file] of FONTS) {
    const path = join(dirname(require.resolve(`${pack}/package.json`)), file)
    if (!GlobalFonts.registerFromPath(path, family))
      throw new Error(`The font ${pack}/${file} cannot be loaded`)
  }
  measuring = createCanvas(1, 1).getContext('2d')
  return measuring
}

/** Returns the canvas font of a text size in pixels. */
export function textFont(sizePx: number, weight: FontWeight): string {
  context()
  return `${sizePx}px Phone${weight}, ${fallbackFamilies}`
}

export function iconFont(sizePx: number): string {
  context()
  return `${sizePx}px PhoneIcons`
}

const CACHE_LIMIT = 20_000
const widths = new Map<string, number>()

/** Longer texts are measured in pieces, so that appending a letter measures one short piece. */
const PIECE = 128

function pieceEnd(text: string, start: number): number {
  if (text.length - start <= PIECE) return text.length
  const space = text.lastIndexOf(' ', start + PIECE - 1)
  if (space > start) return space + 1
  const last = text.charCodeAt(start + PIECE - 1)
  return start + PIECE - (last >= 0xd800 && last <= 0xdbff ? 1 : 0)
}

/** Returns the width in pixels of one line, cached. */
export function textWidth(text: string, sizePx: number, weight: FontWeight): number {
  if (text.length <= PIECE) return pieceWidth(text, sizePx, weight)
  let width = 0
  for (let at = 0; at < text.length;) {
    const end = pieceEnd(text, at)
    width += pieceWidth(text.slice(at, end), sizePx, weight)
    at = end
  }
  return width
}

function pieceWidth(text: string, sizePx: number, weight: FontWeight): number {
  if (text === '') return 0
  const key = `${weight}/${sizePx}/${text}`
  const known = widths.get(key)
  if (known !== undefined) return known
  const ctx = context()
  ctx.font = textFont(sizePx, weight)
  const width = ctx.measureText(text).width
  if (widths.size >= CACHE_LIMIT) widths.clear()
  widths.set(key, width)
  return width
}
