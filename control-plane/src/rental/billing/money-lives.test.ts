/**
 * Money over random lifecycles of random phones, in processes that may be cut between any two effects. After
 * each step, the ledger must equal an independent computation. `MONEY_LIVES=300` sets the number of
 * lifecycles, and `PHONERACK_SEED=…` of a failure repeats the same lifecycles.
 */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { Fuse } from '../../testing/cut-process.js'
import { runDueJobs } from '../../testing/jobs-by-hand.js'
import { lifeSteps } from '../../testing/life-steps.js'
import { Life } from '../../testing/life.js'
import { openStage, type Stage } from '../../testing/stage.js'
import { createBody, refusalOf, useWorld } from '../../testing/world.js'

const lives = Number(process.env['MONEY_LIVES'] ?? 16)
const world = useWorld()
let stage: Stage

beforeAll(async () => {
  stage = await openStage(world)
})

it(
  'agrees with the specification after every step of every lifecycle, even when processes are cut',
  { timeout: 120_000 + lives * 20_000 },
  async () => {
    const seen = { steps: 0, cuts: 0 }
    const what: Record<string, number> = {}
    await fc.assert(
      fc.asyncProperty(lifeSteps, async ({ opening, steps }) => {
        const life = await Life.begin(stage, opening)
        try {
          for (const step of steps) {
            await life.live(step)
            expect(await life.wrong(), JSON.stringify(step)).toEqual([])
          }
        } finally {
          await life.end()
          seen.steps += steps.length
          seen.cuts += life.cuts
          for (const [name, count] of Object.entries(life.outcomes)) what[name] = (what[name] ?? 0) + count
        }
        expect(await life.wrong()).toEqual([])
      }),
      { numRuns: lives, endOnFailure: !process.env['MONEY_SHRINK'] },
    )
    if (process.env['MONEY_SHOW']) process.stdout.write(`${JSON.stringify({ ...seen, ...what }, null, 1)}\n`)
    // A run without cuts would prove nothing.
    expect(seen.cuts).toBeGreaterThan(lives)
  },
)

it('ends a session when it was due, even if no job ran: a renewal does not revive it, and a park does not extend it', async () => {
  const { caller } = await stage.plane.tenant({ credit: '2' })
  const process = stage.boot(new Fuse(null))
  const { phones } = process
  const run = () => runDueJobs(process.core.db, process.tasks, stage.now)
  const sessions = async (id: string) => (await phones.sessions(caller, id, { limit: 1, cursor: null })).data
  const { phone } = await phones.create(caller, createBody({ maxDuration: 100, idleTimeout: 300 }), null)
  await run()
  stage.time += 600_000
  await stage.hearHosts(process)
  const renewal = phones.start(caller, phone.id, { idleTimeout: 300, maxDuration: 100 })
  expect(await refusalOf(renewal)).toBe('phone_parking')
  expect(await sessions(phone.id)).toMatchObject([{ billedSeconds: 100, endReason: 'max_duration' }])

  await run()
  await phones.start(caller, phone.id, { idleTimeout: 70, maxDuration: 300 })
  await run()
  stage.time += 600_000
  await phones.park(caller, phone.id)
  expect(await sessions(phone.id)).toMatchObject([{ billedSeconds: 70, endReason: 'parked' }])
  await phones.delete(caller, phone.id)
  await run()
})
