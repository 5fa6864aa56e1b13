/**
 * Remembers text that was typed into the phone's settings through actions and live
 * views, so that the agent can clear a screen lock that was set with it. In memory only:
 * never logged, never stored, deleted after two minutes. Time is passed in. Created by
 * `supervision/supervisor.ts`, filled by the device's input, read by `guard.ts`.
 */

/** Milliseconds. */
const keptMs = 2 * 60_000
/** Android accepts 4 to 16 characters; some vendors accept one more. */
const length = { min: 4, max: 17 }
/** The phone counts wrong credentials, and delays after five in a row. */
const maxCandidates = 3
const maxEntries = 64

interface Entry {
  text: string
  at: number
  /** Whether Settings were in the foreground just before or after the text. */
  inSettings: boolean
}

export interface CredentialMemory {
  /** Must be called just before the text is sent. */
  typed(text: string, at: number): void
  /** Records a key by Android's code. Only letters, digits, enter and delete count. */
  pressed(keyCode: number, at: number): void
  /** Must be called just before a shell command is sent, in case it sets a credential. */
  commanded(line: string, at: number): void
  /** Records the foreground app at `at`. After two checks without Settings, the text typed between them is deleted. */
  sawForeground(isSettings: boolean, at: number): void
  /** Returns the candidates, the most likely first; at most three. */
  candidates(at: number): string[]
  forget(): void
}

export function createCredentialMemory(): CredentialMemory {
  let entries: Entry[] = []
  let last: { isSettings: boolean; at: number } | null = null

  function add(text: string, at: number, inSettings = last?.isSettings === true): void {
    entries = entries.filter((entry) => at - entry.at < keptMs).slice(-(maxEntries - 1))
    entries.push({ text, at, inSettings })
  }

  return {
    typed(text, at) {
      // Longer text is not a credential, and separates the text before it from the text
      // after it.
      add(text.length <= 2 * length.max ? text : '\n', at)
    },
    pressed(keyCode, at) {
      const text = characterOf(keyCode)
      if (text !== null) add(text, at)
    },
    commanded(line, at) {
      const set = /\blocksettings +set-(?:pin|password) +(?:--old +\S+ +)?(["']?)([^\s"';|&]+)\1/g
      for (const [, , text = ''] of line.matchAll(set)) if (fits(text)) add(`\n${text}\n`, at, true)
    },
    sawForeground(isSettings, at) {
      for (const entry of entries) if (isSettings) entry.inSettings = true
      // A check may have begun before the text was sent, so only text from before the previous check counts
      // as typed elsewhere.
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

/** Returns the character of a key of `android.view.KeyEvent`: 0–9, a–z, the numeric pad's digits, enter and delete. */
function characterOf(keyCode: number): string | null {
  if (keyCode >= 7 && keyCode <= 16) return String(keyCode - 7)
  if (keyCode >= 144 && keyCode <= 153) return String(keyCode - 144)
  if (keyCode >= 29 && keyCode <= 54) return String.fromCharCode(97 + keyCode - 29)
  if (keyCode === 66 || keyCode === 160) return '\n'
  return keyCode === 67 ? '\b' : null
}

const fits = (text: string): boolean => text.length >= length.min && text.length <= length.max

/** Android asks for a new credential twice: with or without enter in between, as one text or key by key. */
function candidatesOf(entries: readonly Entry[]): string[] {
  const inSettings = entries.filter((entry) => entry.inSettings).map(({ text }) => text)
  let whole = ''
  for (const character of inSettings.join(''))
    whole = character === '\b' ? whole.slice(0, -1) : whole + character
  const segments = whole.split('\n').filter((segment) => segment !== '')
  const twice = [segments.join(''), ...segments.toReversed()].map(repeatedEnd)
  const single = inSettings.toReversed().map((text) => text.replaceAll('\n', ''))
  const found = [...twice, ...segments.toReversed(), ...single].filter((text) => text !== null)
  return [...new Set(found.filter(fits))].slice(0, maxCandidates)
}

/** Returns the longest text that occurs twice in succession at the end. */
function repeatedEnd(text: string): string | null {
  for (let size = length.max; size >= length.min; size -= 1) {
    const end = text.slice(-size)
    if (end.length === size && text.endsWith(end + end)) return end
  }
  return null
}
