/** All checks of an acceptance, in their order. */
import type { Check } from '../check.js'
import { capabilities, connection, enrolment } from './enrolment.js'
import { key, lostInput, scroll, tap } from './input.js'
import { clock, start, tree } from './reading.js'

export const allChecks: readonly Check[] = [
  ...[connection, clock, enrolment, capabilities],
  ...[start, tree, tap, key, scroll, lostInput],
]
