/** Clipboard, location, locale, time zone and files: each is set and read back. */
import { randomBytes } from 'node:crypto'
import type { Progress } from '@phonerack/shared'
import type { Device } from '../../../adb/device/device.js'
import type { OperationKind } from '../../../custody/journal.js'
import { need } from '../../grpc/call.js'
import { Failed, type Check } from '../check.js'
import { timed, type PhoneUnderTest } from '../phone.js'

const needs = ['start']
const limitMs = 90_000

const write = <T>(
  phone: PhoneUnderTest,
  kind: OperationKind,
  progress: Progress,
  work: (device: Device, within: Progress) => Promise<T>,
): Promise<T> => phone.gate().write(kind, phone.caller(), progress, work)

const read = <T>(
  phone: PhoneUnderTest,
  progress: Progress,
  work: (device: Device, within: Progress) => Promise<T>,
): Promise<T> => phone.gate().read(phone.caller(), progress, work)

function requireEqual(read: unknown, set: unknown): void {
  if (read !== set)
    throw new Failed(`the agent set ${JSON.stringify(set)} and read back ${JSON.stringify(read)}`)
}

export const clipboard: Check = {
  name: 'clipboard',
  claim: 'The clipboard can be set to any text and read.',
  needs,
  limitMs,
  async run(phone, progress) {
    const text = `Zwölf 十二 👋 ${randomBytes(4).toString('hex')}`
    const { ms } = await timed(() =>
      write(phone, 'clipboard', progress, (device, within) =>
        need(device.clipboard, 'clipboard').set(text, within),
      ),
    )
    const back = await read(phone, progress, (device, within) =>
      need(device.clipboard, 'clipboard').get(within),
    )
    requireEqual(back, text)
    return { evidence: [`read back: ${text}`], times: { set: ms } }
  },
}

/** Degrees. */
const tolerance = 1e-4
const place = { latitude: 48.1374, longitude: 11.5755 }

export const location: Check = {
  name: 'location',
  claim: 'The location can be set and read.',
  needs,
  limitMs,
  async run(phone, progress) {
    const set = (to: typeof place | null) =>
      write(phone, 'location', progress, (device, within) =>
        need(device.location, 'location').set(to, within),
      )
    const { ms } = await timed(() => set(place))
    const back = await read(phone, progress, (device, within) =>
      need(device.location, 'location').get(within),
    )
    await set(null)
    const evidence = [`read back: ${JSON.stringify(back)}`]
    const off =
      back === null ? Infinity : Math.hypot(back.latitude - place.latitude, back.longitude - place.longitude)
    if (off > tolerance)
      throw new Failed(`the agent set ${JSON.stringify(place)} and read back ${JSON.stringify(back)}`)
    return { evidence, times: { set: ms } }
  },
}

export const locale: Check = {
  name: 'locale',
  claim: 'The locale can be set and read, and is changed back.',
  needs,
  limitMs,
  async run(phone, progress) {
    const set = (to: string) =>
      write(phone, 'locale', progress, (device, within) => need(device.locale, 'locale').set(to, within))
    const before = await read(phone, progress, (device, within) => need(device.locale, 'locale').get(within))
    const wanted = before === 'de-DE' ? 'en-US' : 'de-DE'
    const { ms } = await timed(() => set(wanted))
    requireEqual(
      await read(phone, progress, (device, within) => need(device.locale, 'locale').get(within)),
      wanted,
    )
    requireEqual(await set(before), before)
    return { evidence: [`${before}, then ${wanted}, then ${before}`], times: { set: ms } }
  },
}

export const timezone: Check = {
  name: 'timezone',
  claim: 'The time zone can be set and read, and is reset.',
  needs,
  limitMs,
  async run(phone, progress) {
    const set = (to: string | null) =>
      write(phone, 'timezone', progress, (device, within) =>
        need(device.timezone, 'timezone').set(to, within),
      )
    const { result, ms } = await timed(() => set('Asia/Tokyo'))
    requireEqual(result, 'Asia/Tokyo')
    await set(null)
    return { evidence: ['Asia/Tokyo was set and reset'], times: { set: ms } }
  },
}

/** Bytes. */
const fileSize = 2 << 20
/**
 * The lowest accepted rate in kilobytes per second. USB 2 carries 30,000; below this rate an install of 100
 * MB takes minutes.
 */
const leastRate = 1000

const rateOf = (ms: number): number => Math.round(fileSize / Math.max(ms, 1))

/** @throws Failed */
function requireRate(ms: number, direction: string): void {
  if (rateOf(ms) < leastRate)
    throw new Failed(`the connection is slow: ${rateOf(ms)} kB/s ${direction}`, {
      evidence: [`${fileSize} bytes in ${ms} ms`],
    })
}

/** The file stays on the phone, so that the last wipe must remove it. */
export const keptFile = '/sdcard/Download/phonerack-acceptance.bin'

export const files: Check = {
  name: 'files',
  claim: `A file can be written to shared storage and read unchanged, at ${leastRate} kB/s or more.`,
  needs,
  limitMs,
  async run(phone, progress) {
    const content = randomBytes(fileSize)
    const writing = await timed(() =>
      write(phone, 'file', progress, (device, within) =>
        need(device.files, 'files').write(keptFile, content, within),
      ),
    )
    requireRate(writing.ms, 'to the phone')
    const reading = await timed(() =>
      read(phone, progress, (device, within) => need(device.files, 'files').read(keptFile, within)),
    )
    if (!Buffer.from(reading.result).equals(content)) throw new Failed('the file came back changed')
    requireRate(reading.ms, 'from the phone')
    return {
      evidence: [
        `${fileSize} bytes at ${keptFile}, ${rateOf(writing.ms)} kB/s to the phone, ${rateOf(reading.ms)} kB/s from the phone`,
      ],
      times: { write: writing.ms, read: reading.ms },
    }
  },
}

export const condition: Check = {
  name: 'condition',
  claim: 'Battery, storage, app UIDs and lock are read, and call for no action.',
  needs,
  limitMs,
  async run(phone, progress) {
    const latest = () => phone.status()?.condition
    while (latest() === undefined) await progress.sleep(100, 'a reading of the condition')
    const { warnings = [], ...rest } = latest() ?? {}
    const facts = Object.entries(rest).filter(([name]) => name !== 'checked_at')
    const evidence = facts.map(([name, value]) => `${name}: ${String(value)}`)
    const unknown = facts.filter(([, value]) => value === null)
    if (warnings.length > 0) throw new Failed(warnings.join('; '), { evidence })
    if (unknown.length > 0)
      throw new Failed(`not reported: ${unknown.map(([name]) => name).join(', ')}`, { evidence })
    return { evidence }
  },
}
