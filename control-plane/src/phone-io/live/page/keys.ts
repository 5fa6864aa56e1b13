/** Maps a browser's keys to Android's `KeyEvent`. Pure. */

/** Android's key codes that the page uses. */
export const keyCodes = { home: 3, back: 4, recents: 187, wake: 224, enter: 66, backspace: 67 } as const

/** Keys without text, by `KeyboardEvent.key`. Tab stays with the browser, to leave the phone. */
const special = new Map<string, number>(
  Object.entries({
    Backspace: keyCodes.backspace,
    Delete: 112,
    Enter: keyCodes.enter,
    Escape: 111,
    ArrowUp: 19,
    ArrowDown: 20,
    ArrowLeft: 21,
    ArrowRight: 22,
    PageUp: 92,
    PageDown: 93,
    Home: 122,
    End: 123,
    Insert: 124,
  }),
)

/**
 * Letters with a meaning together with Ctrl in a text field. Ctrl+V stays with the browser, which
 * provides the text.
 */
const withControl = new Map(Object.entries({ a: 29, c: 31, x: 52, y: 53, z: 54 }))

const shift = 0x41
const alt = 0x12
const control = 0x3000

interface PressedKey {
  key: string
  shiftKey: boolean
  altKey: boolean
  ctrlKey: boolean
  metaKey: boolean
}

/** Returns the Android key code and its modifiers; null for text and for the browser's own keys. */
export function androidKey(pressed: PressedKey): { code: number; meta: number } | null {
  const isCommand = pressed.ctrlKey || pressed.metaKey
  // AltGr is Ctrl+Alt on some systems, and produces text.
  const code =
    special.get(pressed.key) ??
    (isCommand && !pressed.altKey ? withControl.get(pressed.key.toLowerCase()) : undefined)
  if (code === undefined) return null
  const meta = (pressed.shiftKey ? shift : 0) | (pressed.altKey ? alt : 0) | (isCommand ? control : 0)
  return { code, meta }
}

/** Splits text into pieces of at most `most` code points. */
export function piecesOf(text: string, most: number): string[] {
  const characters = Array.from(text)
  const pieces: string[] = []
  for (let at = 0; at < characters.length; at += most) pieces.push(characters.slice(at, at + most).join(''))
  return pieces
}

/** Milliseconds until the next attempt. They grow to 5 s, with jitter so that pages do not retry together. */
export const retryDelay = (tries: number, random: number): number =>
  Math.min(5000, 250 * 2 ** Math.min(tries, 10)) * (0.5 + random / 2)

/** Formats seconds as `1 h 05 min`, `12 min` or `45 s`. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  if (seconds < 100) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min`
    : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}
