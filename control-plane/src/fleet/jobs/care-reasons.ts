/**
 * Reasons for `ctl device show` while a wipe or an enrolment waits or is repeated, with the
 * operator's next step. `message` is the host's text. Reasons of a quarantine are in
 * `devices/quarantine.ts`.
 */
import { makeStorable, shorten } from '@phonerack/shared'

export type CareJob = 'device.wipe' | 'device.enroll'

/**
 * The largest number of characters of a host's text, so that the operator's next step after it is not cut.
 */
const quotedLength = 700

const nouns = { 'device.wipe': 'wipe', 'device.enroll': 'enrolment' } as const

const quoted = (text: string): string => shorten(makeStorable(text), quotedLength)

const lookAtHost = 'Check that the phone responds, and read the log of the host agent.'

export const waitsForHost = (name: CareJob): string =>
  `The host is unreachable, and the ${nouns[name]} waits for it. Start the host agent, or repair its network.`

export const waitsForWork = (name: CareJob, message: string): string =>
  `The ${nouns[name]} waits until the host takes work again: ${quoted(message)} \`ctl host list\` shows the reason.`

export const waitsForOthers = (name: CareJob, message: string): string =>
  `The ${nouns[name]} failed together with other devices of the host, and is repeated: ${quoted(message)} \`ctl host list\` shows the host.`

export const wasInterrupted = (name: CareJob, message: string): string =>
  `The ${nouns[name]} was interrupted, and is repeated: ${quoted(message)}. If this does not end, read the log of the host agent.`

export const wasRefused = (name: CareJob, count: number, most: number, message: string): string =>
  `The host refused the ${nouns[name]} (try ${count} of ${most}), which is repeated: ${quoted(message)}. ${lookAtHost}`

export const wasNotAnswered = (name: CareJob, count: number, most: number, deadlineMs: number): string =>
  `The host did not answer the ${nouns[name]} within ${deadlineMs / 1000} s (try ${count} of ${most}), which is repeated. ${lookAtHost}`

/** The evidence of the failed check when the host never answered. */
export const neverAnswered = (name: CareJob, count: number, deadlineMs: number): string =>
  `The host did not answer the ${nouns[name]} within ${deadlineMs / 1000} s, ${count} times. ${lookAtHost}`
