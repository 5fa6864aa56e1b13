/**
 * Traces that a data wipe does not remove: memory cards, SIMs, eSIM profiles, and the system image with its bootloader. Used by
 * `traces.ts`, and at enrolment before the phone is erased. Output formats: AOSP 10 to 15.
 */
import { command, sequence, type ShellCommand } from '../../adb/quote.js'
import type { Trace } from './traces.js'

const property = (name: string): ShellCommand => command('getprop', name)

const imageProperties = [
  'ro.build.fingerprint',
  'ro.boot.verifiedbootstate',
  'ro.boot.flash.locked',
  'ro.boot.vbmeta.device_state',
] as const

/**
 * Values of `gsm.sim.state`, one per slot: `NOT_READY` is an eUICC without a profile,
 * or a radio that is off.
 */
const emptySlot = /^(?:ABSENT|NOT_READY|)$/

const mark = '== phonerack subscriptions'

export const removableStorage: Trace = {
  name: 'removable_storage',
  command: sequence(command('sm', 'list-disks'), command('sm', 'list-volumes', 'public')),
  find: (output) => {
    const lines = output.split(/\r?\n/).map((line) => line.trim())
    const unknown = lines.some((line) => line !== '' && !/^(?:disk|public):\d+,\d+/.test(line))
    return unknown
      ? null
      : lines.filter((line) => line !== '').map((line) => line.replace(/^public:/, 'volume '))
  },
  vendorMayHave: false,
}

/** Null when the output has no slot, or an unknown state. */
export function findSims(output: string): string[] | null {
  const [states = '', subscriptions = ''] = output.replaceAll('\r\n', '\n').split(`${mark}\n`)
  const slots = states.trim().split(',')
  if (!slots.every((state) => /^[A-Z_]*$/.test(state)) || slots.includes('UNKNOWN')) return null
  const inSlots = slots.flatMap((state, slot) => (emptySlot.test(state) ? [] : [`slot ${slot}: ${state}`]))
  // With the radio off, only the subscription shows a card.
  const listed = rowsOf(subscriptions).flatMap(({ slot, embedded }) =>
    slot >= 0 && !embedded ? [`slot ${slot}: a subscription`] : [],
  )
  return inSlots.length > 0 ? inSlots : [...new Set(listed)]
}

export const sims: Trace = {
  name: 'sim_cards',
  command: sequence(property('gsm.sim.state'), command('echo', mark), command('dumpsys', 'isub')),
  find: findSims,
  vendorMayHave: false,
}

export const esimProfiles: Trace = {
  name: 'esim_profiles',
  command: command('dumpsys', 'isub'),
  find: (output) => {
    // The phone is a tablet without a radio.
    if (/Can't find service/i.test(output)) return []
    if (!/SubscriptionManager|SubscriptionController|SubInfo/i.test(output)) return null
    const count = new Set(rowsOf(output).flatMap(({ id, embedded }) => (embedded ? [id] : []))).size
    return count === 0 ? [] : [`${count} eSIM profile${count === 1 ? '' : 's'}`]
  },
  vendorMayHave: false,
}

/**
 * The image is recorded at the first verified wipe. A different image at a later wipe was flashed by a tenant
 * or an operator.
 */
export const systemImage: Trace = {
  name: 'system_image',
  command: sequence(...imageProperties.map(property)),
  find: (output) => {
    const values = output.replace(/\r?\n$/, '').split(/\r?\n/)
    if (values.length !== imageProperties.length || !values[0]?.includes('/')) return null
    return imageProperties.map((name, at) => `${name}=${values[at]?.trim() ?? ''}`)
  },
  vendorMayHave: true,
}

interface Subscription {
  id: string
  slot: number
  embedded: boolean
}

/**
 * Parses `{id=1 … simSlotIndex=0 … isEmbedded true` (Android 10 to 13) and `[SubscriptionInfoInternal: id=1 …
 * isEmbedded=1 …]` (Android 14).
 */
function rowsOf(output: string): Subscription[] {
  return output.split(/\r?\n/).flatMap((line) => {
    const [, id] = /\bid=(\d+) /.exec(line) ?? []
    const [, slot] = /\bsimSlotIndex=(-?\d+)/.exec(line) ?? []
    if (id === undefined || slot === undefined) return []
    return [{ id, slot: Number(slot), embedded: /\bisEmbedded[ =](?:1|true)\b/.test(line) }]
  })
}
