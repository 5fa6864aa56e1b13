/**
 * Reasons for quarantining a device, and the operator's next step for each. Shown by `ctl device
 * show` and at the end of `up`.
 */
import { makeStorable, shorten } from '@phonerack/shared'
import { isForgotten } from './link.js'

/** A wipe check, as the table stores it. */
export interface Check {
  name: string
  passed: boolean
  evidence: string
}

/** Maximum length of a reason in characters. */
export const reasonLength = 1000

export const cleanForNobody =
  'it could be cleaned only at package level, and its last tenant is unknown. Start its host agent with PHONERACK_PACKAGE_CLEAN_FOR_ALL=true to accept that for every tenant, then release the device.'
const unknownUseBegin = 'its host has no record that this phone used the device.'
export const unknownUse = `${unknownUseBegin} \`ctl device show\` prints the command that wipes it.`
export const outOfReach = 'unreachable for too long'

const reset = 'reset the device: see "Reset a device" in docs/operations.md.'

/** The number is too far ahead to have been issued. */
export const notBelieved = (reported: bigint, given: bigint): string =>
  `${notBelievedBegin} ${reported}, but the last one issued is ${given}, so the report is rejected. If the host can be trusted, ${reset}`
const notBelievedBegin = 'its host reports the fencing number'

/** The agent's refusal and its report contradict each other. */
export const contradicts = (reported: bigint, given: bigint): string =>
  `${contradictsBegin} ${given} as used up, but reports ${reported} as the highest: it contradicts itself. Find the cause before you release the device, which wipes it.`
const contradictsBegin = 'its host refused the fencing number'

/** @param most disputes within 24 hours */
export const disputedTooOften = (reported: bigint, most: number): string =>
  `${disputedBegin} more than ${most} times within 24 hours, the last time with the fencing number ${reported}. Find the cause before you release the device, which wipes it.`
const disputedBegin = 'its host has disagreed with the database'

/**
 * @param count consecutive creates that failed on the device
 * @param fault the last failure; empty: none was reported
 */
export const startsKeepFailing = (count: number, fault: string): string =>
  `${startsKeepFailingBegin} ${count} creates in a row, although its wipes succeeded${fault === '' ? '.' : `. The last failure: ${shorten(makeStorable(fault), 600)}`}`
const startsKeepFailingBegin = 'it could not be started for'

/**
 * A host claims a phone without a proof that it has the phone.
 * @param device the ID of the phone's device
 * @param host the name of the host that has the device
 */
export const notProven = (device: string, host: string, fault: string): string =>
  `${claimedBegin} ${device} of the host ${host}, and its host did not prove it: ${shorten(makeStorable(fault), 300)} If you moved that phone here, run \`ctl device move\`.`

/** Two hosts have the identity of one phone. Parameters as in `notProven`. */
export const claimedByTwo = (device: string, host: string): string =>
  `${claimedBegin} ${device}, which the host ${host} still reports as connected, so it is claimed by two hosts. Disconnect it from one of them. If it belongs here, run \`ctl device move\`.`
const claimedBegin = 'it carries the identity of'

/** The new host of a moved device did not take over its phone. */
export const notAdopted = (fault: string): string =>
  `${notAdoptedBegin}: ${shorten(makeStorable(fault), 600)} If it is connected to another host, move it there. If you are certain that it is this phone, run \`ctl device move\` with \`--unproven\`.`
const notAdoptedBegin = 'it was moved, and its new host did not take it over'

/** The data that a failed wipe left on the phone, for the operator. */
export const reasonOf = (failed: readonly Check[]): string =>
  failed.length === 0
    ? 'the agent did not verify the wipe'
    : shorten(
        makeStorable(failed.map((check) => `${check.name}: ${check.evidence}`).join('; ')),
        reasonLength,
      )

/** `words`: the arguments of `./scripts/ctl`. */
export interface Command {
  does: string
  words: string[]
}

export interface NextStep {
  /** A step before any command, or null. */
  first: string | null
  commands: Command[]
}

interface Held {
  id: string
  /** The serial is not unique: other hosts may have it too. */
  serial: string
  state: string
  link: string
  reason: string | null
  phoneId: string | null
  checks: readonly Check[]
}

/**
 * Steps before a release, by the wipe check that failed. Without the step, the wipe of the release fails at
 * the same check.
 */
const beforeRelease: Readonly<Record<string, string>> = {
  removable_storage: 'Remove the memory card.',
  sim_cards: 'Remove the SIM, or start its host agent with PHONERACK_ALLOW_SIMS=SERIAL to allow it.',
  esim_profiles: 'Delete the eSIM profile in the settings of the phone.',
  lock_credential: 'Remove the screen lock in the settings of the phone.',
}

/** Returns null for a device that needs no operator. */
export function nextStepOf(held: Held): NextStep | null {
  const { id, serial, state, reason, phoneId, checks } = held
  const command = (does: string, ...words: string[]): Command => ({ does, words: ['device', ...words] })
  const show = command('shows the device', 'show', id)
  const enroll =
    phoneId === null
      ? command('wipes it and enrolls it again', 'enroll', id, '--erase')
      : command(
          'wipes it and enrolls it again, and fails the phone of its tenant',
          ...['enroll', id, '--erase', '--fail-phone', phoneId],
        )
  if (state !== 'quarantined') return isForgotten(held) ? { first: null, commands: [enroll] } : null
  if (reason?.startsWith(claimedBegin))
    return { first: 'Find out where the phone is connected, and why.', commands: [show] }
  const release = command(
    phoneId === null ? 'wipes and checks it again' : 'wipes it, and fails the phone of its tenant',
    ...['release', id],
  )
  const isUnenrolled = isForgotten(held)
  const wipe = isUnenrolled ? enroll : release
  if (reason?.startsWith(contradictsBegin) || reason?.startsWith(disputedBegin))
    return { first: 'Find out why its host contradicts itself.', commands: [show, wipe] }
  if (reason?.startsWith(notBelievedBegin))
    return isUnenrolled
      ? { first: null, commands: [wipe] }
      : { first: `Find the cause. If its host can be trusted, ${reset}`, commands: [show] }
  if (reason?.startsWith(unknownUseBegin) && phoneId !== null) return { first: null, commands: [wipe] }
  if (reason?.startsWith(notAdoptedBegin))
    return {
      first:
        'Check which phone is connected under this serial, and move the device to the place of its phone.',
      commands: phoneId === null ? [show, wipe] : [show],
    }
  if (reason?.startsWith(startsKeepFailingBegin))
    return {
      first:
        'Check the phone: its screen, its storage and its Android. The log of its host agent has each failed start.',
      commands: [wipe],
    }
  if (reason === outOfReach)
    return { first: 'Reconnect its host or its cable until its link is healthy.', commands: [wipe] }
  if (reason === cleanForNobody)
    return {
      first: 'Start its host agent with PHONERACK_PACKAGE_CLEAN_FOR_ALL=true, or wipe the phone by hand.',
      commands: [wipe],
    }
  if (phoneId !== null && !isUnenrolled) {
    const keep = command('returns it to its tenant without a wipe', 'release', id, '--keep')
    return { first: 'Check the phone and decide.', commands: [keep, release] }
  }
  const failed = checks.filter(({ passed }) => !passed)
  // Other checks belong to another wipe.
  const names = reason === reasonOf(failed) ? failed.map(({ name }) => name) : []
  if (names.includes('system_image') && !isUnenrolled)
    return {
      first: `Its system image or bootloader changed, and a release does not accept that. If you updated it yourself, ${reset}`,
      commands: [show],
    }
  const first = names.flatMap((name) => beforeRelease[name]?.replaceAll('SERIAL', serial) ?? [])
  return { first: first.length > 0 ? first.join(' ') : null, commands: [wipe] }
}
