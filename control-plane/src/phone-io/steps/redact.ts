/**
 * Masks typed text in the actions of a step, and creates the maskers of known texts. `redact-screen.ts` masks
 * results and screens. Pure. docs/decisions/0278
 */
import { typedByShell, type Action, type Target } from '@phonerack/shared'
import { createFinder } from './find-texts.js'

/** The same mark as in the activity log. */
export const mark = '[redacted]'

/**
 * The number of characters from which a typed text is masked outside of fields. Shorter texts occur by
 * chance.
 */
const shortest = 3
/** The number of characters by which a longer text is recognised, since screens cut long texts. */
const recognised = 50
/** The number of pieces above which everything is masked. */
export const mostPieces = 300

/** Masks texts in strings. */
export interface Masker {
  /** True if the masker leaves every string unchanged. */
  isEmpty: boolean
  text(value: string): string
  /** Returns a copy with each string masked. */
  json<T>(value: T): T
}

const maskerOf = (text: Masker['text']): Masker => ({
  isEmpty: false,
  text,
  json: (value) => mapStrings(value, text),
})

const nothing: Masker = { isEmpty: true, text: (value) => value, json: (value) => value }

/** Masks every text, for more texts than can be searched. */
export const everything: Masker = maskerOf((value) => (value === '' ? '' : mark))

/** Stands for a key of a live view, whose character is unknown. */
const bullet = '\u2022'

/**
 * The searched parts of a typed text, which are its lines. A line that is longer than `recognised` is cut one
 * character after that length. This is a generator, so that a text of 100,000 lines is read only up to the
 * 300 lines that are kept.
 */
export function* piecesOf(text: string): Generator<string> {
  for (const line of new Set(text.split(/[\r\n]+/))) {
    const parts = line.includes(bullet) ? [line, ...line.split(bullet)] : [line]
    for (const part of parts) {
      const piece = part.trim()
      if (piece.length < shortest || piece.replaceAll(bullet, '').trim() === '') continue
      // A character has at most two units.
      const characters = Array.from(piece.slice(0, 2 * (recognised + 1))).slice(0, recognised + 1)
      if (characters.length >= shortest) yield characters.join('')
    }
  }
}

/** @param pieces of `piecesOf`, at most `mostPieces`; they are masked wherever they occur, in any case */
export function createMasker(pieces: readonly string[]): Masker {
  if (pieces.length === 0) return nothing
  const characters = pieces.map((piece) => Array.from(piece))
  const finderOf = (wanted: readonly string[][]) =>
    createFinder(wanted.map((each) => each.slice(0, recognised).join('')))
  const long = finderOf(characters.filter(({ length }) => length > recognised))
  const whole = finderOf(characters.filter(({ length }) => length <= recognised))
  return maskerOf((value) => {
    if (long(value).length > 0) return mark
    const spans = whole(value)
    if (spans.length === 0) return value
    const kept = spans.map(({ from }, at) => value.slice(spans[at - 1]?.to ?? 0, from))
    return [...kept, value.slice(spans.at(-1)?.to)].join(mark)
  })
}

function mapStrings<T>(value: T, map: (text: string) => string): T {
  if (typeof value === 'string') return map(value) as T
  if (Array.isArray(value)) return value.map((each: unknown) => mapStrings(each, map)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]: [string, unknown]) => [name, mapStrings(each, map)]),
  ) as T
}

/** Keys that write a character. */
const characterKeys: ReadonlySet<string> = new Set([
  ...Array.from('abcdefghijklmnopqrstuvwxyz0123456789'),
  'space',
])

const isCharacterKey = (action: Action): action is Action & { type: 'key' } =>
  action.type === 'key' && characterKeys.has(action.key)

/** Actions that do not end a text typed by keys. */
const waits: readonly Action['type'][] = ['wait', 'wait_for', 'wait_idle']

/** The texts that a batch types, including the text of its keys; null: the batch types no text. */
export function typedIn(actions: readonly Action[]): string[] | null {
  const texts: string[] = []
  let keys: string[] = []
  const endKeys = (): void => {
    if (keys.length > 0) texts.push(keys.join(''))
    keys = []
  }
  for (const action of actions) {
    if (isCharacterKey(action)) keys.push(action.key === 'space' ? ' ' : action.key)
    else if (!waits.includes(action.type)) endKeys()
    if (action.type === 'type') texts.push(action.text)
    if (action.type === 'shell') texts.push(...typedByShell(`${action.command}\n${action.stdin ?? ''}`))
  }
  endKeys()
  return texts.length === 0 ? null : texts
}

/** Keeps IDs, keys without a character, apps and URLs. */
export function maskActions(actions: readonly Action[], masker: Masker): Action[] {
  return actions.map((action) => {
    const fields = Object.entries(action).map(([name, value]: [string, unknown]) =>
      name === 'target' || name === 'from' || name === 'to'
        ? [name, maskTarget(value as Target, masker)]
        : [name, value],
    )
    const masked = Object.fromEntries(fields) as Action
    if (masked.type === 'type') return { ...masked, text: mark }
    if (masked.type === 'shell')
      return { ...masked, command: mark, ...(masked.stdin === undefined ? {} : { stdin: mark }) }
    return isCharacterKey(masked) ? { ...masked, key: mark, modifiers: [] } : masked
  })
}

/** Whether the action is a shell command whose text is masked. */
export const isMaskedShell = (action: Action): boolean => action.type === 'shell' && action.command === mark

/** Whether the character of a key is omitted. */
export const isMaskedKey = (action: Action): boolean => action.type === 'key' && action.key === mark

function maskTarget(target: Target, masker: Masker): Target {
  if ('text' in target) return { ...target, text: masker.text(target.text) }
  return 'desc' in target ? { ...target, desc: masker.text(target.desc) } : target
}
