/**
 * Examples of all operations, by `operationId`. `examples.long.test.ts` validates them against the
 * schemas, and finds operations without examples and examples without an operation.
 */
import { accountExamples } from './account.js'
import { appExamples } from './apps.js'
import { deviceExamples } from './device.js'
import { eventExamples } from './events.js'
import { handoffExamples } from './handoffs.js'
import type { OperationExamples } from './kinds.js'
import { phoneExamples } from './phones.js'
import { reportExamples } from './reports.js'
import { screenExamples } from './screen.js'
import { stepExamples } from './steps.js'

export const operationExamples: Record<string, OperationExamples> = {
  ...phoneExamples,
  ...screenExamples,
  ...handoffExamples,
  ...appExamples,
  ...deviceExamples,
  ...reportExamples,
  ...accountExamples,
  ...eventExamples,
  ...stepExamples,
}
