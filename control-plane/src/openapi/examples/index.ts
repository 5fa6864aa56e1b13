/**
 * Examples of all operations, by `operationId`: as a system answers, held against the schemas by `examples.test.ts`,
 * which also finds an operation that has none and an example that no operation has a place for.
 */
import { accountExamples } from './account.js'
import { appExamples } from './apps.js'
import { deviceExamples } from './device.js'
import { handoffExamples } from './handoffs.js'
import type { OperationExamples } from './kinds.js'
import { phoneExamples } from './phones.js'
import { screenExamples } from './screen.js'

export const operationExamples: Record<string, OperationExamples> = {
  ...phoneExamples,
  ...screenExamples,
  ...handoffExamples,
  ...appExamples,
  ...deviceExamples,
  ...accountExamples,
}
