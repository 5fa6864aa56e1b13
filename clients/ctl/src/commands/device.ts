import { plain } from '@phonerack/shared'
import type { Command } from '../commands.js'
import { table } from '../table.js'
import { describeDevice, modelOf } from './device-text.js'
import { UsageError } from '../usage-error.js'

export const deviceCommands: readonly Command[] = [
  {
    name: 'device list',
    about: 'Lists every phone that a host has seen.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const devices = await operator().devices()
      const text = table(
        devices,
        [
          { title: 'ID', value: (device) => device.id },
          { title: 'SERIAL', value: (device) => device.serial },
          { title: 'STATE', value: (device) => device.state },
          { title: 'MODEL', value: modelOf },
          { title: 'LINK', value: (device) => device.link },
          { title: 'PHONE', value: (device) => device.phone_id },
          { title: 'REASON', value: (device) => device.reason },
        ],
        'no phone has been seen',
      )
      const unenrolled = devices.filter((device) => device.state === 'unenrolled')
      const hints = unenrolled.map(
        (device) => `  ./scripts/ctl device enroll ${plain(device.serial)} --erase`,
      )
      const more =
        hints.length === 0 ? '' : `\n\nTo take one in, which ERASES ALL DATA on it:\n${hints.join('\n')}`
      return { json: { data: devices }, text: text + more }
    },
  },
  {
    name: 'device show',
    about:
      'Shows one phone: how it is, what it can do, how its last wipe was verified, and what its host did when it hung.',
    words: ['SERIAL|ID'],
    flags: {},
    async run({ words }, operator) {
      const device = await operator().device(words[0] ?? '')
      return { json: device, text: describeDevice(device) }
    },
  },
  {
    name: 'device enroll',
    about: 'Takes a phone in. ALL DATA ON IT IS WIPED.',
    words: ['SERIAL|ID'],
    flags: { erase: true },
    async run({ words, flags, say }, operator) {
      const client = operator()
      const before = await client.device(words[0] ?? '')
      const what = `${plain(modelOf(before) ?? 'a phone of unknown model')}, serial ${plain(before.serial)}`
      if (flags['erase'] !== true) {
        throw new UsageError(
          `enrolling wipes ALL DATA on this phone (${what}): apps, accounts, files, settings. To do it, add --erase`,
        )
      }
      const device = await client.enroll(before.id)
      // Not before the service has accepted it: until then nothing is written to the phone.
      say(`Enrolling ${what}. ALL DATA ON IT IS BEING WIPED.`)
      const next = `It is ${device.state} now; see ./scripts/ctl device show ${plain(device.serial)}`
      return { json: device, text: next }
    },
  },
  {
    name: 'device release',
    about:
      'Wipes and checks a quarantined phone again; gives up a phone whose host is lost. --keep: wipes nothing and gives it back to its tenant.',
    words: ['SERIAL|ID'],
    flags: { keep: true },
    async run({ words, flags }, operator) {
      const device = await operator().release(words[0] ?? '', flags['keep'] === true)
      return { json: device, text: `${device.serial} is ${device.state} now` }
    },
  },
]
