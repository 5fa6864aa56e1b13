import { plain, shellWord } from '@phonerack/shared'
import type { Device } from '../operator/client.js'
import type { Command } from '../commands.js'
import { each } from '../each.js'
import { table } from '../table.js'
import { describeDevice, modelOf } from './device-text.js'
import { serviceOf } from './drain.js'
import { UsageError } from '../usage-error.js'
import { devicesFrom, whichFlags } from '../which.js'

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
      'Enrolls phones. ALL DATA ON THEM IS WIPED. --all: the unenrolled phones of the host. --fail-phone: the phone of a tenant that a device holds, if its host has lost its record.',
    words: ['[ID|SERIAL...]'],
    flags: { erase: true, 'fail-phone': 'ID', ...whichFlags },
    async run(input, operator) {
      const client = operator()
      const refs = await devicesFrom(
        input,
        client,
        ({ state, claimed_since: claimed }) => state === 'unenrolled' && claimed === null,
      )
      const failPhone = input.flags['fail-phone']
      if (typeof failPhone === 'string' && refs.length > 1)
        throw new UsageError('--fail-phone names the phone of one device; enroll the device alone')
      const devices: Device[] = []
      for (const ref of refs) devices.push(await client.device(ref))
      if (input.flags['erase'] !== true)
        throw new UsageError(
          `enrolling wipes ALL DATA on ${devices.length === 1 ? 'this phone' : `these ${devices.length} phones`} (${devices.map(whatOf).join('; ')}): apps, accounts, files, settings. Add --erase to confirm`,
        )
      for (const { phone_id: phone, link } of devices)
        if (phone !== null && link === 'unenrolled' && failPhone !== phone)
          throw new UsageError(
            `the device holds ${plain(phone)} of a tenant, which fails and loses its data. Add --fail-phone ${plain(phone)} to confirm`,
          )
      const known = new Map(devices.map((device) => [device.id, device]))
      return each(
        [...known.keys()],
        async (id) => {
          const device = await client.enroll(id, typeof failPhone === 'string' ? failPhone : undefined)
          // Nothing is written to the phone before the service accepts the enrolment.
          input.say(`Enrolling ${whatOf(known.get(id) ?? device)}. ALL DATA ON IT IS BEING WIPED.`)
          return device
        },
        (device) =>
          `The device is now ${device.state}. For details: ./scripts/ctl device show ${plain(device.id)}`,
      )
    },
  },
  {
    name: 'device release',
    about:
      'Wipes and checks quarantined phones again, or gives up phones whose host is lost. --keep: returns a phone to its tenant without a wipe. --all: the quarantined phones of the host.',
    words: ['[ID|SERIAL...]'],
    flags: { keep: true, ...whichFlags },
    async run(input, operator) {
      const client = operator()
      const refs = await devicesFrom(input, client, ({ state }) => state === 'quarantined')
      return each(
        refs,
        (ref) => client.release(ref, input.flags['keep'] === true),
        (device) => `${device.serial} is ${device.state} now`,
      )
    },
  },
  {
    name: 'device remove',
    about: 'Removes devices from the list that are not enrolled and that their host no longer reports.',
    words: ['ID...'],
    flags: {},
    run({ words }, operator) {
      const client = operator()
      return each(
        words,
        (ref) => client.removeDevice(ref),
        ({ id }) => `${id} is removed`,
      )
    },
  },
  {
    name: 'device move',
    about:
      'Moves a device to the host where its phone is connected now; its tenant keeps the phone. --unproven: moves it even if the phone cannot prove that it is this device.',
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

const whatOf = (device: Device): string =>
  `${plain(modelOf(device) ?? 'a phone of unknown model')}, serial ${plain(device.serial)}`

/** Names of several hosts. Joins refuse a used name, but joins of earlier releases did not. */
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
