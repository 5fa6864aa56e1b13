/** Commands that take hosts and devices out of service. */
import { plain } from '@phonerack/shared'
import type { Device, Host } from '../operator/client.js'
import type { Command, Input } from '../commands.js'
import { each } from '../each.js'
import { duration } from '../values.js'
import { devicesFrom, whichFlags } from '../which.js'
import { UsageError } from '../usage-error.js'

type Drained = Pick<Device, 'drained_at' | 'drain_until'>

/** The time or note of a row that is out of service, for lists; null: the row takes new work. */
export const serviceOf = (
  row: Drained & Partial<Pick<Device, 'maintenance' | 'moving_since'>>,
): string | null => {
  const notes = [
    ...(row.moving_since ? ['moving to this host'] : []),
    ...(row.maintenance ? [`maintenance: ${row.maintenance.note}`] : []),
    ...(row.drain_until === null ? [] : [`drained, deadline ${row.drain_until}`]),
  ]
  return notes.length === 0 ? null : notes.join('; ')
}

const deadlineFrom = ({ flags: { deadline } }: Input): number | undefined =>
  deadline === undefined ? undefined : duration('deadline', deadline)

const drainAbout =
  'starts no phone on it, and makes its running phones unavailable at the deadline (default: 30m)'

const hostText = ({ name, id, running, drain_until: until }: Host): string =>
  until === null
    ? `${plain(name)} (${id}) takes new work`
    : `${plain(name)} (${id}) is ${running > 0 ? 'draining' : 'drained'}. Running phones: ${running}. They become unavailable at ${until}.`

const deviceText = (device: Device): string =>
  `${device.id} (${plain(device.serial)}) ${serviceOf(device) === null ? 'takes new work' : `is out of service: ${serviceOf(device) ?? ''}`}`

export const hostDrainCommands: readonly Command[] = [
  {
    name: 'host drain',
    about: `Drains a host: ${drainAbout}. Phones keep their data.`,
    words: ['NAME|ID'],
    flags: { deadline: '5s|30m|1h' },
    async run(input, operator) {
      const host = await operator().drainHost(input.words[0] ?? '', deadlineFrom(input))
      return { json: host, text: hostText(host) }
    },
  },
  {
    name: 'host undrain',
    about: 'Lets a drained host take new work again.',
    words: ['NAME|ID'],
    flags: {},
    async run({ words }, operator) {
      const host = await operator().undrainHost(words[0] ?? '')
      return { json: host, text: hostText(host) }
    },
  },
]

export const deviceDrainCommands: readonly Command[] = [
  {
    name: 'device drain',
    about: `Drains one device: ${drainAbout}. Its phone keeps its data.`,
    words: ['ID|SERIAL'],
    flags: { deadline: '5s|30m|1h' },
    async run(input, operator) {
      const device = await operator().drainDevice(input.words[0] ?? '', deadlineFrom(input))
      return { json: device, text: deviceText(device) }
    },
  },
  {
    name: 'device undrain',
    about: 'Lets a drained device take new work again.',
    words: ['ID|SERIAL'],
    flags: {},
    async run({ words }, operator) {
      const device = await operator().undrainDevice(words[0] ?? '')
      return { json: device, text: deviceText(device) }
    },
  },
  {
    name: 'device maintenance',
    about:
      'Keeps devices out of the pool, with a note. --end: returns them to the pool. --all: all devices of the host, with --end those in maintenance.',
    words: ['[ID|SERIAL...]'],
    flags: { note: 'TEXT', end: true, ...whichFlags },
    async run(input, operator) {
      const { note, end } = input.flags
      if ((end === true) === (typeof note === 'string'))
        throw new UsageError('either --note TEXT or --end is required')
      const client = operator()
      const refs = await devicesFrom(input, client, ({ maintenance }) => end !== true || maintenance !== null)
      const act = (ref: string) =>
        typeof note === 'string' ? client.beginMaintenance(ref, note) : client.endMaintenance(ref)
      return each(refs, act, deviceText)
    },
  },
]
