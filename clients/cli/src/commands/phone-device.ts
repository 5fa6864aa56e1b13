/** `phone clip|locate|locale|timezone`: settings of the device. */
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { phoneOf, splitOperands } from '../phone-operand.js'
import { plainLines } from '@phonerack/shared/plain'
import { readAll } from '../stdin.js'
import { UsageError } from '../usage-error.js'

interface LocateFlags {
  set?: string
  reset?: boolean
  timezone: boolean
}

export function addPhoneDeviceCommands(phone: Command, app: App): void {
  app.on<{ set?: string }>(
    phone
      .command('clip')
      .description('print the clipboard, or set it')
      .argument('[phone]')
      .option('--set <text>', 'the text to set; - reads it from stdin'),
    clip,
  )
  app.on<LocateFlags>(
    phone
      .command('locate')
      .description('print the location, or set it')
      .argument('[phone]')
      .option('--set <lat,lng>', 'such as 52.52,13.405')
      .option('--reset', 'go back to the default location')
      .option('--no-timezone', 'with --set: keep the time zone'),
    locate,
  )
  for (const each of settings)
    app.on<{ set?: string }>(
      phone
        .command(each.name)
        .description(`print the ${each.label}, or set it`)
        .argument('[phone]')
        .option('--set <value>', `the new value, such as ${each.example}`),
      (run, operands, flags) => setting(run, operands, flags, each),
    )
}

/** A setting whose value is one word. */
interface Setting {
  name: 'locale' | 'timezone'
  label: string
  example: string
}

const settings: readonly Setting[] = [
  { name: 'locale', label: 'language', example: 'de-DE' },
  { name: 'timezone', label: 'time zone', example: 'Europe/Berlin' },
]

async function setting(
  run: Run,
  operands: readonly string[],
  { set }: { set?: string },
  { name, label }: Setting,
): Promise<void> {
  const { device, id } = await phoneOf(run, splitOperands(operands, []).phone)
  if (set === undefined) {
    const value = (await device[name](run.call)) ?? 'unknown'
    return run.out.answer({ [name]: value }, plainLines(value), plainLines(value))
  }
  await (name === 'locale' ? device.setLocale(set, run.call) : device.setTimezone(set, run.call))
  await run.out.answer({ [name]: set }, `The ${label} of ${id} is ${plainLines(set)}.`)
}

async function clip(run: Run, operands: readonly string[], { set }: { set?: string }): Promise<void> {
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  if (set === undefined) {
    const text = await phone.device.clipboard(run.call)
    return run.out.answer({ text }, plainLines(text), plainLines(text))
  }
  const text = set === '-' ? (await readAll(run.io)).toString('utf8') : set
  await phone.device.setClipboard(text, run.call)
  await run.out.answer({ text }, `Set the clipboard of ${phone.id}.`)
}

async function locate(run: Run, operands: readonly string[], flags: LocateFlags): Promise<void> {
  if (flags.set !== undefined && flags.reset === true)
    throw new UsageError('Give --set or --reset, not both.')
  const wanted = flags.set === undefined ? null : placeOf(flags.set)
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  if (flags.reset === true) {
    await phone.device.resetLocation(run.call)
    return run.out.answer({ reset: true }, `The location of ${phone.id} is the default again.`)
  }
  if (wanted !== null) {
    await phone.device.setLocation(
      { ...wanted, ...(flags.timezone ? {} : { timezone_from_location: false }) },
      run.call,
    )
    return run.out.answer(wanted, `The location of ${phone.id} is ${wanted.lat},${wanted.lng}.`)
  }
  const at = await phone.device.location(run.call)
  await run.out.answer(at, `${at.lat},${at.lng}`, `${at.lat},${at.lng}`)
}

export function placeOf(text: string): { lat: number; lng: number } {
  const match = /^\s*(-?\d{1,3}(?:\.\d+)?)\s*,\s*(-?\d{1,3}(?:\.\d+)?)\s*$/.exec(text)
  const [lat, lng] = [Number(match?.[1]), Number(match?.[2])]
  if (match && Math.abs(lat) <= 90 && Math.abs(lng) <= 180) return { lat, lng }
  throw new UsageError('`--set` must be latitude and longitude such as 52.52,13.405.')
}
