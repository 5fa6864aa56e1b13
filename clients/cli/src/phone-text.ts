/** Phones as text for people. */
import type { PhoneFields } from '@phonerack/sdk'
import type { Color, Output } from './output.js'
import { relative } from './duration.js'
import { dollars } from './money.js'
import { record, table } from './table.js'

const colors: Readonly<Record<string, Color>> = {
  ready: 'green',
  creating: 'yellow',
  starting: 'yellow',
  parking: 'yellow',
  failed: 'red',
  unavailable: 'red',
}

function paintStatus(out: Output, status: string): string {
  const color = Object.hasOwn(colors, status) ? colors[status] : undefined
  return color === undefined ? status : out.paint(color, status)
}

export const phoneTable = (phones: readonly PhoneFields[], out: Output, now: number): string =>
  table(
    phones,
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'NAME', value: ({ id, name }) => (name === id ? null : name) },
      { title: 'STATUS', value: ({ status }) => status, paint: (cell) => paintStatus(out, cell) },
      { title: 'COUNTRY', value: ({ country }) => country },
      { title: 'PARKS', value: ({ session }) => relative(session?.parks_at, now) },
      { title: 'CREATED', value: ({ created_at: created }) => relative(created, now) },
    ],
    'No phones. Rent one with `phonerack phone create`.',
  )

export function phoneRecord(phone: PhoneFields, out: Output, now: number): string {
  const { session, failure } = phone
  const parks = relative(session?.parks_at, now)
  return record([
    ['id', phone.id],
    ['name', phone.name === phone.id ? null : phone.name],
    ['status', phone.status, (cell) => paintStatus(out, cell)],
    ['country', phone.country],
    [
      'metadata',
      Object.entries(phone.metadata)
        .map(([key, value]) => `${key}=${value}`)
        .join(' '),
    ],
    ['created', relative(phone.created_at, now)],
    ['last active', relative(phone.last_active_at, now)],
    [
      'parks',
      parks === null ? null : `${parks} (${session?.park_reason === 'idle' ? 'idle' : 'longest duration'})`,
    ],
    ['on idle', phone.on_idle === 'delete' ? 'it is deleted' : null],
    ['reserved', session === null ? null : dollars(session.reserved_usd)],
    ['failure', failure === null ? null : `${failure.code}: ${failure.message}`],
  ])
}
