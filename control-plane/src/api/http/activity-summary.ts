/**
 * Summarises a request for the activity list: the names of its fields, and the values that may be shown. Every other
 * value is `[redacted]`: typed text, clipboard text, metadata, URLs. Refused requests are recorded too, so their bodies
 * and paths can hold anything: the summary is bounded, and contains only text that Postgres can store. Pure.
 */
import { limits, makeStorable, redactSecrets, shorten } from '@phonerack/shared'

/** Fields whose values contain no personal data. */
const shown = new Set([
  'wait',
  'country',
  'idle_timeout',
  'max_duration',
  'observe',
  'package',
  'upload',
  'replace',
  'locale',
  'timezone',
  'timezone_from_location',
  'lat',
  'lng',
  'expires_in',
  'control',
  'taken',
  'amount_usd',
  'storage_id',
  'name',
  'enabled',
  'timeout',
])
/** Limits: characters of a value, characters of a field's name, and number of fields. */
const most = { characters: 200, name: 60, fields: 20 }

export type Shown = string | number | boolean | null | string[]
type Summary = Record<string, Shown>

/** The text is redacted before it is shortened, because half a secret is not recognised as a secret. */
const shownText = (text: string, characters = most.characters): string =>
  shorten(makeStorable(redactSecrets(text.slice(0, 4 * limits.pathLength))), characters)

function shownValue(name: string, value: unknown): Shown {
  if (name === 'actions' && Array.isArray(value)) return shownActions(value)
  if (name === 'command' && typeof value === 'string') return firstWord(value)
  if (!shown.has(name)) return '[redacted]'
  if (typeof value === 'string') return shownText(value)
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? value : '[redacted]'
}

/** The name of the program of a shell command. A first word of another form, such as `TOKEN=…`, may be a secret. */
const firstWord = (command: string): string =>
  /^\s*([\w./-]{1,60})(?=[\s;|&]|$)/.exec(command)?.[1] ?? '[redacted]'

/** Keeps only the types of a batch's actions. */
function shownActions(actions: readonly unknown[]): string[] {
  const kept = actions.slice(0, limits.actions.max).map(typeOf)
  return actions.length > kept.length ? [...kept, '…'] : kept
}

const typeOf = (action: unknown): string =>
  typeof action === 'object' && action !== null && 'type' in action && typeof action.type === 'string'
    ? shownText(action.type, most.name)
    : '?'

/** @param path the `path` of a file request, `/sdcard/…` */
export function summaryOf(body: unknown, path: unknown): Summary {
  const fields: [string, Shown][] = []
  if (typeof path === 'string') fields.push(['path', shownText(path)])
  if (Buffer.isBuffer(body)) fields.push(['bytes', body.length])
  else if (typeof body === 'object' && body !== null)
    for (const [name, value] of Object.entries(body).slice(0, most.fields))
      fields.push([shownText(name, most.name), shownValue(name, value)])
  return Object.fromEntries(fields)
}
