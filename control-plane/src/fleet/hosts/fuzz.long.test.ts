// A short run of `./scripts/fuzz-host`. That script's options set the number of messages and the seed.
import { expect, it } from 'vitest'
import { fuzzHosts } from '../../testing/fuzz/run.js'
import { startWorld } from '../../testing/world.js'

const wanted = Number(process.env['FUZZ_HOST_MESSAGES'] ?? 200)
const seed = Number(process.env['PHONERACK_SEED'] ?? 1)

it(
  'survives any message of a hostile host, and serves the phones of another',
  { timeout: 1_800_000 },
  async () => {
    const world = startWorld()
    try {
      const report = await fuzzHosts(world, wanted, seed)
      process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
      expect(report.breaches).toEqual([])
      expect(report.total).toBeGreaterThanOrEqual(wanted)
      // If all requests failed, the run would prove nothing.
      expect(report.statuses['200'] ?? 0).toBeGreaterThan(0)
      expect(report.honest).toBeGreaterThan(0)
    } finally {
      await world.stop()
    }
  },
)
