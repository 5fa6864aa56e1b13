/**
 * What activity keeps of a request: which fields it had, and the values of those that can be shown. Anything that is not
 * named here is `[redacted]`: typed text, clipboard text, metadata, URLs. Pure.
 */
import { redactSecrets } from '@phonerack/shared'

/** Fields whose values say what was asked for and hold nothing of a person. */
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
  'amount_usd',
  'storage_id',
  'name',
])
const mostCharacters = 200

export type Shown = string | number | boolean | null | string[]
export type Summary = Record<string, Shown>

const shorten = (text: string): string =>
  text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text

function shownValue(name: string, value: unknown): Shown {
  if (name === 'actions' && Array.isArray(value)) return value.map(typeOf)
  if (!shown.has(name)) return '[redacted]'
  if (typeof value === 'string') return shorten(redactSecrets(value))
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? value : '[redacted]'
}

/** The types of a batch's actions are all that is kept of it. */
const typeOf = (action: unknown): string =>
  typeof action === 'object' && action !== null && 'type' in action && typeof action.type === 'string'
    ? shorten(action.type)
    : '?'

/** @param path the `path` of a file request, `/sdcard/…` */
export function summaryOf(body: unknown, path: unknown): Summary {
  const summary: Summary = {}
  if (typeof path === 'string') summary['path'] = shorten(path)
  if (Buffer.isBuffer(body)) summary['bytes'] = body.length
  else if (typeof body === 'object' && body !== null)
    for (const [name, value] of Object.entries(body).slice(0, 50))
      summary[shorten(name)] = shownValue(name, value)
  return summary
}
