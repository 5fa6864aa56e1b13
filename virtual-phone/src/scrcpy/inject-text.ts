/**
 * INJECT_TEXT: the characters that Android's virtual key map can type, one by one, as scrcpy 3.3.3 injects
 * them: ASCII, ç ß, and letters with one of five accents. All other characters are dropped with a warning.
 */
import { type World } from '../android/world.js'

const DEAD_KEYS = new Set(['\u0300', '\u0301', '\u0302', '\u0303', '\u0308'])
const ENTER = 66
const TAB = 61

/** Whether the key map has a key, or a dead key and a letter, for this UTF-16 unit. */
function canType(unit: string): boolean {
  if (/^[\n\t\x20-\x7eçÇß]$/.test(unit)) return true
  const [letter, accent, ...more] = unit.normalize('NFD')
  return more.length === 0 && accent !== undefined && DEAD_KEYS.has(accent) && /^[A-Za-z]$/.test(letter ?? '')
}

/** Types the characters that the key map has, and calls `dropped` for each other unit. */
export function injectText(world: World, text: string, dropped: (unit: string) => void): void {
  for (const unit of text.split('')) {
    if (!canType(unit)) dropped(unit)
    else if (unit === '\n' || unit === '\t') {
      const keyCode = unit === '\n' ? ENTER : TAB
      world.key('down', keyCode, 0)
      world.key('up', keyCode, 0)
    } else world.commitText(unit)
  }
}
