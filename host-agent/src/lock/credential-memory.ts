/**
 * Remembers what was typed into the phone's settings through our own actions and live views, for as long as it takes to
 * find out whether it became a screen lock. In memory only: never logged, never stored, forgotten after two minutes.
 * Pure but for its state; time comes in. Made by `supervision/supervisor.ts`, filled by the device's input, read by `guard.ts`.
 */

/** Milliseconds. */
const keptMs = 2 * 60_000
/** Android takes 4 to 16 characters; a maker may take one more. */
const length = { least: 4, most: 17 }
/** Wrong credentials count on the phone, and five in a row make it wait. */
const mostCandidates = 3
const mostEntries = 64

interface Entry {
  text: string
  at: number
  /** Settings were in front right before or right after it. */
  inSettings: boolean
}

export interface CredentialMemory {
  /** Right before it is sent. */
  typed(text: string, at: number): void
  /** A key by Android's code: letters, digits, enter and delete count. */
  pressed(keyCode: number, at: number): void
  /** What was in front at `at`: two looks without Settings around it, and what was typed between them is forgotten. */
  sawFront(isSettings: boolean, at: number): void
  /** The likeliest first, three at most. */
  candidates(at: number): string[]
  forget(): void
}

export function createCredentialMemory(): CredentialMemory {
  let entries: Entry[] = []
  let last: { isSettings: boolean; at: number } | null = null

  function add(text: string, at: number): void {
    entries = entries.filter((entry) => at - entry.at < keptMs).slice(-(mostEntries - 1))
    entries.push({ text, at, inSettings: last?.isSettings === true })
  }

  return {
    typed(text, at) {
      // What is longer is no credential, and separates what stands before it from what follows.
      add(text.length <= 2 * length.most ? text : '\n', at)
    },
    pressed(keyCode, at) {
      const text = characterOf(keyCode)
      if (text !== null) add(text, at)
    },
    sawFront(isSettings, at) {
      for (const entry of entries) if (isSettings) entry.inSettings = true
      // One look may have begun before the text was sent: only what the look before had seen counts as elsewhere.
      const before = last?.at ?? -Infinity
      entries = entries.filter((entry) => entry.inSettings || entry.at > before)
      last = { isSettings, at }
    },
    candidates: (at) => candidatesOf(entries.filter((entry) => at - entry.at < keptMs)),
    forget() {
      entries = []
    },
  }
}

/** `android.view.KeyEvent`: 0–9, a–z, the numeric pad's digits, enter and delete. */
function characterOf(keyCode: number): string | null {
  if (keyCode >= 7 && keyCode <= 16) return String(keyCode - 7)
  if (keyCode >= 144 && keyCode <= 153) return String(keyCode - 144)
  if (keyCode >= 29 && keyCode <= 54) return String.fromCharCode(97 + keyCode - 29)
  if (keyCode === 66 || keyCode === 160) return '\n'
  return keyCode === 67 ? '\b' : null
}

const fits = (text: string): boolean => text.length >= length.least && text.length <= length.most

/** A credential is typed twice, with or without an enter between, at once or letter by letter. */
function candidatesOf(entries: readonly Entry[]): string[] {
  const inSettings = entries.filter((entry) => entry.inSettings).map(({ text }) => text)
  let whole = ''
  for (const character of inSettings.join(''))
    whole = character === '\b' ? whole.slice(0, -1) : whole + character
  const segments = whole.split('\n').filter((segment) => segment !== '')
  const twice = [segments.join(''), ...segments.toReversed()].map(repeatedEnd)
  const single = inSettings.toReversed().map((text) => text.replaceAll('\n', ''))
  const found = [...twice, ...segments.toReversed(), ...single].filter((text) => text !== null)
  return [...new Set(found.filter(fits))].slice(0, mostCandidates)
}

/** The longest text that stands at the end twice in a row. */
function repeatedEnd(text: string): string | null {
  for (let size = length.most; size >= length.least; size -= 1) {
    const end = text.slice(-size)
    if (end.length === size && text.endsWith(end + end)) return end
  }
  return null
}
