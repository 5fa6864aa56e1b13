// The load of idle replicas on Postgres: statements that two replicas and their job workers send.
import path from 'node:path'
import { startNats } from '@phonerack/launcher/nats'
import { pause } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { watchQueries } from '../testing/query-log.js'
import { startWorld, type World } from '../testing/world.js'

/** Seconds. Most periodic work runs at least once a minute, at moments that depend on the start. */
const watched = 60
/** Statements a second of all replicas. */
const most = 20

let world: World
let nats: Awaited<ReturnType<typeof startNats>>
beforeAll(async () => {
  world = startWorld()
  // Replicas also read the heartbeats of other tests' hosts on the shared broker.
  nats = await startNats({ dir: path.join(world.dir, 'nats') })
  const env = {
    NATS_URL: nats.url,
    NATS_CREDS_FILE: nats.controlPlaneCredsFile,
    NATS_ACCOUNT_SEED_FILE: nats.accountSeedFile,
    // Listening replicas read hosts and devices every second.
    PHONERACK_HOST_LOST_AFTER: '3',
  }
  const plane = await world.start({ env })
  await world.start({ beside: plane, env })
  await plane.rack(2, { beatMs: 2000 })
})
afterAll(async () => {
  await world.stop()
  await nats.stop()
})

it('sends fewer than 20 statements a second to Postgres from two idle replicas with one host', async () => {
  // Work of the start, such as the last steps of the enrolment, may still run.
  await pause(5000, new AbortController().signal)
  const log = watchQueries()
  const start = performance.now()
  try {
    await pause(watched * 1000, new AbortController().signal)
    // A busy machine wakes the test late.
    const seconds = (performance.now() - start) / 1000
    expect(log.queries.length / seconds, describeCounts(log.texts)).toBeLessThan(most)
    // Heartbeats of replicas and hosts are sent in any case: the log sees the statements.
    expect(log.queries.length).toBeGreaterThan(watched)
  } finally {
    log.stop()
  }
})

function describeCounts(texts: string[]): string {
  const counts = new Map<string, number>()
  for (const text of texts) {
    const start = text.replaceAll(/\s+/g, ' ').slice(0, 100)
    counts.set(start, (counts.get(start) ?? 0) + 1)
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([start, count]) => `${count} ${start}`)
    .join('\n')
}
