/**
 * Masks typed text in what a step keeps: the fields of a screen, and texts that are known to have been typed. Pure.
 * docs/decisions/0278
 */
import {
  type Action,
  type ActionResult,
  type Element,
  type Observation,
  type Target,
} from '@phonerack/shared'

/** The mark of the activity log. */
export const mark = '[redacted]'

/** Characters from which a typed text is masked outside of fields: shorter ones occur by chance. */
const shortest = 3
/** Characters by which a longer text is recognised. Screens cut long texts. */
const recognised = 50

/** Masks texts in strings. */
export interface Masker {
  /** Every string stays unchanged. */
  isEmpty: boolean
  text(value: string): string
  /** Returns a copy with each string masked. */
  json<T>(value: T): T
}

/** The texts that a batch types. */
export const typedIn = (actions: readonly Action[]): string[] =>
  actions.flatMap((action) => (action.type === 'type' ? [action.text] : []))

const escapeForRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** @param typed the texts to mask wherever they occur, in any case */
export function createMasker(typed: readonly string[]): Masker {
  const pieces = [...new Set(typed.flatMap((text) => text.split(/[\r\n]+/)).map((line) => line.trim()))]
  const known = pieces
    .map((piece) => Array.from(piece))
    .filter((characters) => characters.length >= shortest)
    .sort((a, b) => b.length - a.length)
  const patternOf = (wanted: readonly string[][]): RegExp | null =>
    wanted.length === 0
      ? null
      : new RegExp(wanted.map((each) => escapeForRegExp(each.slice(0, recognised).join(''))).join('|'), 'giu')
  const long = patternOf(known.filter(({ length }) => length > recognised))
  const whole = patternOf(known.filter(({ length }) => length <= recognised))
  const text = (value: string): string => {
    if (long && value.search(long) >= 0) return mark
    return whole ? value.replace(whole, mark) : value
  }
  const isEmpty = long === null && whole === null
  return { isEmpty, text, json: (value) => (isEmpty ? value : mapStrings(value, text)) }
}

function mapStrings<T>(value: T, map: (text: string) => string): T {
  if (typeof value === 'string') return map(value) as T
  if (Array.isArray(value)) return value.map((each: unknown) => mapStrings(each, map)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]: [string, unknown]) => [name, mapStrings(each, map)]),
  ) as T
}

/** IDs, keys, apps and URLs stay. */
export function maskActions(actions: readonly Action[], masker: Masker): Action[] {
  return actions.map((action) => {
    const fields = Object.entries(action).map(([name, value]: [string, unknown]) =>
      name === 'target' || name === 'from' || name === 'to'
        ? [name, maskTarget(value as Target, masker)]
        : [name, value],
    )
    const masked = Object.fromEntries(fields) as Action
    return masked.type === 'type' ? { ...masked, text: mark } : masked
  })
}

function maskTarget(target: Target, masker: Masker): Target {
  if ('text' in target) return { ...target, text: masker.text(target.text) }
  return 'desc' in target ? { ...target, desc: masker.text(target.desc) } : target
}

export const maskResults = (results: readonly ActionResult[], masker: Masker): ActionResult[] =>
  results.map((result) => {
    const { error } = result
    if (!error) return result
    return {
      ...result,
      error: { ...error, message: masker.text(error.message), details: masker.json(error.details) },
    }
  })

/** Its text is what somebody typed, or a password. A hint is the app's own text. */
const isTyped = ({ state }: Element): boolean =>
  state.includes('password') || (state.includes('editable') && !state.includes('hint'))

export interface Masked {
  observation: Observation
  /** Whether anything was masked. */
  isMasked: boolean
}

export function maskObservation(observation: Observation, masker: Masker): Masked {
  const masked = new Map<number, Element>()
  const elements = observation.elements.map((element) => {
    const text = element.text === null ? null : isTyped(element) ? mark : masker.text(element.text)
    const desc = element.desc === null ? null : masker.text(element.desc)
    if (text === element.text && desc === element.desc) return element
    const changed = { ...element, text, desc }
    masked.set(element.ref, changed)
    return changed
  })
  if (masked.size === 0) return { observation, isMasked: false }
  const text = observation.text
    .split('\n')
    .map((line) => maskLine(line, masked))
    .join('\n')
  return { observation: { ...observation, elements, text }, isMasked: true }
}

/** A line of the text form: `[ref] Type "text" #id flags (x,y)`. */
const line = /^(\[(\d+)\] \S+) "(?:[^"\\]|\\.)*"/

function maskLine(text: string, masked: ReadonlyMap<number, Element>): string {
  const ref = Number(/^\[(\d+)\]/.exec(text)?.[1] ?? 0)
  const element = masked.get(ref)
  if (!element) return text
  const words = quoted(element.text ?? element.desc ?? '')
  // Never keep a line whose form is unknown.
  return line.test(text) ? text.replace(line, (_, head: string) => `${head} ${words}`) : `[${ref}] ${words}`
}

/** Escapes words like the text form, see `Observation.text`. */
const quoted = (text: string): string =>
  `"${text.replace(/["\\]/g, '\\$&').replace(/\r\n|[\n\r\v\f\u2028\u2029\u0085]/g, '\\n')}"`
