/** The reason of a step has room for its error and for the other adb servers. */
import { expect, it } from 'vitest'
import { reasonLength, stepReason } from './step-reason.js'

const pids = Array.from({ length: 20 }, (_, at) => 4_194_300 - at)
const reason = 'three calls in a row timed out'

it('has the error of a failed step, and many other adb servers', () => {
  const error = "device '192.0.2.7:5555' not found"
  expect(stepReason(reason, error, pids)).toBe(
    `${reason}; ${error}; other adb servers run on this machine (process 4194300, 4194299, 4194298), see \`doctor\``,
  )
  const long = stepReason(reason, 'x'.repeat(1000), pids)
  expect(long).toHaveLength(reasonLength)
  expect(long).toMatch(/; x+; other adb servers .* see `doctor`$/)
})

it('names the newest servers in a step that is done', () => {
  const text = stepReason(reason, null, pids)
  expect(text).toMatch(/\(process 4194300, .*, 4194293\), see `doctor`$/)
  expect(text.length).toBeLessThanOrEqual(reasonLength)
  expect(stepReason(reason, null, [])).toBe(reason)
})
