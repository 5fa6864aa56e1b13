/**
 * Events in the form that clients see, built from the facts that the triggers of the migration `events` store: times
 * become ISO 8601 in UTC, and micro-dollars become dollars. Pure.
 */
import { formatUsd } from '@phonerack/shared'
import { z } from 'zod'
import { hostOnly } from '../../base/host-only.js'
import { type Caller } from '../../base/core/caller.js'
import { type EventData, type EventJson } from './types.js'

/** The columns of an event that clients see. */
export interface EventFacts {
  id: string
  type: string
  createdAt: Date
  phoneId: string | null
  data: unknown
}

const factsSchema = z.record(z.string(), z.record(z.string(), z.unknown()))

/** Facts that hold the time of a change, in the form in which Postgres writes times into JSON. */
const isTime = (name: string): boolean => name === 'at' || name.endsWith('_at')
/** Facts that can exceed the safe integers of JSON, and are therefore stored as text. */
const isCount = (name: string): boolean => name === 'version_code' || name === 'size_bytes'

function field(name: string, value: unknown): [string, unknown] {
  if (typeof value === 'string') {
    if (name.endsWith('_micros')) return [name.replace(/_micros$/, '_usd'), formatUsd(BigInt(value))]
    if (isTime(name)) return [name, new Date(value).toISOString()]
    if (isCount(name)) return [name, Number(value)]
  }
  // A null value gets the client's field name too.
  if (value === null && name.endsWith('_micros')) return [name.replace(/_micros$/, '_usd'), null]
  if (name === 'failure' && typeof value === 'object' && value !== null) return [name, fields(value)]
  return [name, value]
}

const fields = (facts: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => field(name, value)))

/** Only installs by upload have an ID, as in `GET …/apps/installs`. */
function install({ id, ...facts }: Record<string, unknown>): Record<string, unknown> {
  const { package: name, upload, ...rest } = fields(facts)
  return { package: name, upload, install: upload === null ? null : id, ...rest }
}

const dataOf = (data: unknown): EventData =>
  Object.fromEntries(
    Object.entries(factsSchema.parse(data)).map(([name, facts]) => [
      name,
      name === 'install' ? install(facts) : fields(facts),
    ]),
  )

export const eventJson = ({ id, type, createdAt, phoneId, data }: EventFacts): EventJson => ({
  id,
  object: 'event',
  type,
  created_at: createdAt.toISOString(),
  phone_id: phoneId,
  data: dataOf(data),
})

/** Returns `eventJson` for a caller. A caller with read-only rights sees only the host of a webhook's URL. */
export const eventJsonFor = ({ scopes }: Pick<Caller, 'scopes'>): ((facts: EventFacts) => EventJson) =>
  scopes.includes('phones:control') ? eventJson : (facts) => withHostOnly(eventJson(facts))

function withHostOnly(event: EventJson): EventJson {
  const { webhook } = event.data
  const url = webhook?.['url']
  if (typeof url !== 'string') return event
  return { ...event, data: { ...event.data, webhook: { ...webhook, url: hostOnly(url) } } }
}
