import { plain, shellWord } from '@phonerack/shared'
import type { Device } from '@phonerack/launcher/operator'
import type { Command } from '../commands.js'
import { table } from '../table.js'
import { describeDevice, modelOf } from './device-text.js'
import { serviceOf } from './drain.js'
import { UsageError } from '../usage-error.js'

export const deviceCommands: readonly Command[] = [
  {
    name: 'device list',
    about: 'Lists all phones that hosts have reported.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const devices = await operator().devices()
      const twins = sharedNames(devices)
      const text = table(
        devices,
        [
          { title: 'ID', value: (device) => device.id },
          { title: 'HOST', value: hostOf },
          ...(twins.size > 0 ? [{ title: 'HOST ID', value: (device: Device) => device.host_id }] : []),
          { title: 'SERIAL', value: (device) => device.serial },
          { title: 'STATE', value: (device) => device.state },
          { title: 'MODEL', value: modelOf },
          { title: 'LINK', value: (device) => device.link },
          { title: 'PHONE', value: (device) => device.phone_id },
          { title: 'SERVICE', value: serviceOf },
          { title: 'REASON', value: (device) => device.reason },
        ],
        'no phones reported',
      )
      const unenrolled = devices.filter(
        ({ state, claimed_since: claimed }) => state === 'unenrolled' && claimed === null,
      )
      const hints = unenrolled.map(
        (device) =>
          `  ./scripts/ctl device enroll ${shellWord(plain(device.id))} --erase    # ${shellWord(plain(device.serial))} at ${shellWord(plain(placeOf(device, twins)))}`,
      )
      const more =
        hints.length === 0 ? '' : `\n\nTo enroll a phone, which ERASES ALL DATA on it:\n${hints.join('\n')}`
      return { json: { data: devices }, text: text + more }
    },
  },
  {
    name: 'device show',
    about:
      'Shows one phone: its condition, its capabilities, the checks of its last wipe, and the recovery steps of its host.',
    words: ['ID|SERIAL'],
    flags: {},
    async run({ words }, operator) {
      const device = await operator().device(words[0] ?? '')
      return { json: device, text: describeDevice(device) }
    },
  },
  {
    name: 'device enroll',
    about:
      'Enrolls a phone. ALL DATA ON IT IS WIPED. --fail-phone: the phone of a tenant that the device holds, if its host has lost its record.',
    words: ['ID|SERIAL'],
    flags: { erase: true, 'fail-phone': 'ID' },
    async run({ words, flags, say }, operator) {
      const client = operator()
      const before = await client.device(words[0] ?? '')
      const what = `${plain(modelOf(before) ?? 'a phone of unknown model')}, serial ${plain(before.serial)}`
      if (flags['erase'] !== true) {
        throw new UsageError(
          `enrolling wipes ALL DATA on this phone (${what}): apps, accounts, files, settings. Add --erase to confirm`,
        )
      }
      const failPhone = flags['fail-phone']
      if (before.phone_id !== null && before.link === 'unenrolled' && failPhone !== before.phone_id) {
        throw new UsageError(
          `the device holds ${plain(before.phone_id)} of a tenant, which fails and loses its data. Add --fail-phone ${plain(before.phone_id)} to confirm`,
        )
      }
      const device = await client.enroll(before.id, typeof failPhone === 'string' ? failPhone : undefined)
      // Nothing is written to the phone before the service accepts the enrolment.
      say(`Enrolling ${what}. ALL DATA ON IT IS BEING WIPED.`)
      const next = `The device is now ${device.state}. For details: ./scripts/ctl device show ${plain(device.id)}`
      return { json: device, text: next }
    },
  },
  {
    name: 'device release',
    about:
      'Wipes and checks a quarantined phone again, or gives up a phone whose host is lost. --keep: returns the phone to its tenant without a wipe.',
    words: ['ID|SERIAL'],
    flags: { keep: true },
    async run({ words, flags }, operator) {
      const device = await operator().release(words[0] ?? '', flags['keep'] === true)
      return { json: device, text: `${device.serial} is ${device.state} now` }
    },
  },
  {
    name: 'device move',
    about:
      'Moves a device to the host where its phone is connected now; its tenant keeps the phone. --unproven: even if the phone cannot prove that it is this device.',
    words: ['ID|SERIAL'],
    flags: { to: 'HOST', serial: 'SERIAL', unproven: true },
    required: ['to'],
    async run({ words, flags: { to, serial, unproven } }, operator) {
      const place = {
        host: String(to),
        ...(typeof serial === 'string' ? { serial } : {}),
        unproven: unproven === true,
      }
      const device = await operator().move(words[0] ?? '', place)
      const text = `${device.id} is ${plain(device.serial)} at ${plain(device.host_name)} now, which takes over the phone. For details: ./scripts/ctl device show ${device.id}`
      return { json: device, text }
    },
  },
]

/** Names that several hosts have: joins refuse them, but earlier releases did not. */
function sharedNames(devices: readonly Device[]): Set<string> {
  const ids = new Map(devices.map((device) => [device.host_name, device.host_id]))
  const shared = devices.filter((device) => ids.get(device.host_name) !== device.host_id)
  return new Set(shared.map((device) => device.host_name))
}

/** The host's name, with its state if it is not online. */
const hostOf = ({ host_name: name, host_state: state }: Device): string =>
  state === 'online' ? name : `${name} (${state})`

const placeOf = (device: Device, twins: ReadonlySet<string>): string =>
  twins.has(device.host_name) ? `${hostOf(device)} (${device.host_id})` : hostOf(device)
