/** All checks of an acceptance, in their order. The last one gives the phone back without data. */
import type { Check } from '../check.js'
import { clipboard, condition, files, locale, location, timezone } from './device.js'
import { capabilities, connection, enrolment } from './enrolment.js'
import { key, lostInput, scroll, tap } from './input.js'
import { install } from './installing.js'
import { clock, start, tree } from './reading.js'
import { hangRecovery, park, reboot, wipe } from './recovery.js'
import { text } from './text.js'
import { recording, rotation, video } from './video.js'

export const allChecks: readonly Check[] = [
  ...[connection, clock, enrolment, capabilities],
  ...[start, tree, tap, key, scroll, text, lostInput],
  ...[video, rotation, recording],
  ...[clipboard, location, locale, timezone, files, condition, install],
  ...[park, reboot, hangRecovery, wipe],
]
