/**
 * Reasons for `ctl device show`: why a wipe or an enrolment waits or failed, and the operator's next step. The host's
 * text is the parameter `message`; commands name the device by our ID, never by text of a host.
 */
import { type WipeCheck } from '@phonerack/proto'
import { makeStorable, shorten } from '@phonerack/shared'

export type CareJob = 'device.wipe' | 'device.enroll'

/** Characters of a host's text; the operator's next step follows it and must not be cut. */
const quotedLength = 700

const nouns = { 'device.wipe': 'wipe', 'device.enroll': 'enrolment' } as const

const quoted = (text: string): string => shorten(makeStorable(text), quotedLength)

const lookAtHost = 'Check that the phone responds, and read the log of the host agent.'

export const waitsForHost = (name: CareJob): string =>
  `The host is unreachable, and the ${nouns[name]} waits for it. Start the host agent, or repair its network.`

export const wasInterrupted = (name: CareJob, message: string): string =>
  `The ${nouns[name]} was interrupted, and is repeated: ${quoted(message)}. If this does not end, read the log of the host agent.`

export const wasRefused = (name: CareJob, count: number, most: number, message: string): string =>
  `The host refused the ${nouns[name]} (try ${count} of ${most}), which is repeated: ${quoted(message)}. ${lookAtHost}`

export const wasNotAnswered = (name: CareJob, count: number, most: number, deadlineMs: number): string =>
  `The host did not answer the ${nouns[name]} within ${deadlineMs / 1000} s (try ${count} of ${most}), which is repeated. ${lookAtHost}`

/** Evidence of the failed check when the host never answered. */
export const neverAnswered = (name: CareJob, count: number, deadlineMs: number): string =>
  `the host did not answer the ${nouns[name]} within ${deadlineMs / 1000} s, ${count} times`

/** Names the failed checks. */
export const reasonOf = (failed: readonly WipeCheck[]): string =>
  failed.length === 0
    ? 'the agent did not verify the wipe'
    : quoted(failed.map((check) => `${check.name}: ${check.evidence}`).join('; '))

/** Why the device is quarantined. */
export const quarantineReason = (name: CareJob, deviceId: string, failed: readonly WipeCheck[]): string =>
  `${reasonOf(failed)}. Correct the cause, then run \`ctl device release ${deviceId}\`: it repeats the ${nouns[name]}.`

export const cleanForNobody = (deviceId: string): string =>
  `it could only be cleaned at package level, and its last tenant is unknown. Start its host agent with PHONERACK_PACKAGE_CLEAN_FOR_ALL=true to accept that for every tenant, then run \`ctl device release ${deviceId}\`.`
