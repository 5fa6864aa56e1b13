/** Ten minutes of recording in half a minute, with the short form of `scripts/bench recording`. */
import { expect, test } from 'vitest'
import { runSoak } from '../system/soak.js'

test('a long recording does not increase the memory, and its file contains every picture at its time [25.27]', async () => {
  const seconds = 600
  const { pictures, lastPictureMs, durationMs, residentMib } = await runSoak([
    String(seconds),
    '20',
    '500000',
  ])
  expect(pictures.kept).toBe(seconds * 30)
  expect(Math.abs(lastPictureMs.kept - lastPictureMs.sent)).toBeLessThan(200)
  expect(durationMs.kept).toBeGreaterThan(durationMs.least - 200)
  expect(durationMs.kept).toBeLessThan(durationMs.most + 200)
  const [first, , last] = residentMib.thirds
  expect(last - first).toBeLessThan(24)
}, 180_000)
