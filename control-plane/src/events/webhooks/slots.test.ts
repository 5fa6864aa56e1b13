import fc from 'fast-check'
import { expect, it } from 'vitest'
import { turnMs } from '../../base/queue/host-slots.js'
import { longestTurnMs } from './jobs.js'
import { type SlotOwner } from './slot-rules.js'
import { createDeliverySlots, type DeliverySlots } from './slots.js'

const total = 16

/** Work that hangs until it is ended. */
function hanging(slots: DeliverySlots) {
  const ends: (() => void)[] = []
  return {
    /** Takes as many slots as the webhook gets, and returns their number. */
    fill: async (projectId: string, webhookId: string, isFailing = false): Promise<number> => {
      for (let count = 0; ; count += 1) {
        const before = slots.taken
        const result = slots.run(
          { projectId, webhookId, isFailing },
          () => new Promise<void>((end) => ends.push(end)),
        )
        if (slots.taken === before) {
          expect(await result).toBe('turn')
          return count
        }
      }
    },
    endAll: async (): Promise<void> => {
      for (const end of ends.splice(0)) end()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

it('gives half of the slots to the only project, and half of these to its only webhook', async () => {
  const slots = createDeliverySlots(total)
  expect(await hanging(slots).fill('a', 'a1')).toBe(4)
})

it('leaves slots to other projects when all webhooks of one project hang', async () => {
  const slots = createDeliverySlots(total)
  const { fill, endAll } = hanging(slots)
  let ofFirst = 0
  for (let each = 0; each < 10; each += 1) ofFirst += await fill('a', `a${each}`)
  expect(ofFirst).toBe(total / 2)
  expect(await fill('b', 'b1')).toBe(2)
  expect(await fill('c', 'c1')).toBeGreaterThan(0)
  await endAll()
  expect(slots.taken).toBe(0)
  expect(await fill('b', 'b1')).toBe(4)
})

it('gives one slot to a webhook that fails, and half of all to those that fail', async () => {
  const slots = createDeliverySlots(total)
  const { fill, endAll } = hanging(slots)
  let failing = 0
  for (let each = 0; each < 20; each += 1) failing += await fill(`project${each}`, 'failing', true)
  expect(failing).toBe(total / 2)
  expect(await fill('healthy', 'one')).toBeGreaterThan(0)
  await endAll()
  expect(await fill('a', 'failing', true)).toBe(1)
})

it('leaves failing slots to other projects when all webhooks of one project fail [41.40]', async () => {
  const slots = createDeliverySlots(total)
  const { fill, endAll } = hanging(slots)
  let ofFirst = 0
  for (let each = 0; each < 10; each += 1) ofFirst += await fill('a', `a${each}`, true)
  expect(ofFirst).toBe(total / 4)
  expect(await fill('b', 'b1', true)).toBe(1)
  expect(await fill('c', 'c1', true)).toBe(1)
  await endAll()
})

it('gives a freed slot to the webhook that waits, not to the next job of its last owner', async () => {
  let ms = 0
  const slots = createDeliverySlots(2, () => ms)
  const ends: (() => void)[] = []
  const work = () => new Promise<void>((end) => ends.push(end))
  const owner = (projectId: string) => ({ projectId, webhookId: `${projectId}1`, isFailing: true })
  const first = slots.run(owner('a'), work)
  expect(await slots.run(owner('b'), work)).toBe('turn')
  ends[0]?.()
  await first
  ms = 1
  // The next job of this webhook runs before the next job of the other webhook.
  expect(await slots.run(owner('a'), work)).toBe('turn')
  ms = 15_000
  const second = slots.run(owner('b'), work)
  expect(slots.taken).toBe(1)
  ends[1]?.()
  await second
  // The waiter may have gone to another replica.
  expect(await slots.run(owner('b'), work)).toBe('turn')
  ms += 16_000
  const third = slots.run(owner('b'), work)
  expect(slots.taken).toBe(1)
  ends[2]?.()
  await third
})

/** A webhook whose receiver hangs. */
interface Hanging {
  owner: SlotOwner
  asksAt: number
  endsAt: number
  /** Times without a slot since the last slot. */
  turns: number
  /** The number of slots that the webhook has had. */
  held: number
  end: () => void
}

it('gives each webhook a slot, however many hang and ask again immediately [41.41]', async () => {
  const webhook = fc.record({ project: fc.nat(11), isFailing: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(
      fc.array(webhook, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 500, max: 15_000 }),
      async (webhooks, hangMs) => {
        let ms = 0
        const slots = createDeliverySlots(total, () => ms)
        const all = webhooks.map(({ project, isFailing }, index): Hanging => ({
          owner: { projectId: `${project}`, webhookId: `${index}`, isFailing },
          asksAt: 0,
          endsAt: Infinity,
          turns: 0,
          held: 0,
          end: () => undefined,
        }))
        const ask = async (each: Hanging): Promise<void> => {
          const before = slots.taken
          const hang = () =>
            new Promise<void>((end) => {
              each.end = end
            })
          const run = slots.run(each.owner, hang)
          if (slots.taken === before) {
            expect(await run).toBe('turn')
            each.turns += 1
            each.asksAt = ms + turnMs(each.turns - 1, longestTurnMs(each.owner.isFailing))
            return
          }
          Object.assign(each, { asksAt: Infinity, endsAt: ms + hangMs, turns: 0, held: each.held + 1 })
          void run.then(() => Object.assign(each, { endsAt: Infinity, asksAt: ms }))
        }
        const until = 100 * (hangMs + longestTurnMs(true) + 1000)
        while (ms < until && all.some(({ held }) => held === 0)) {
          ms = Math.min(...all.map(({ asksAt, endsAt }) => Math.min(asksAt, endsAt)))
          for (const each of all.filter(({ endsAt }) => endsAt <= ms)) {
            each.end()
            await new Promise((resolve) => setImmediate(resolve))
            // The owner's next job requests a slot before the waiting jobs.
            await ask(each)
          }
          for (const each of all.filter(({ asksAt }) => asksAt <= ms)) await ask(each)
        }
        expect(all.filter(({ held }) => held === 0)).toEqual([])
        for (const each of all) each.end()
      },
    ),
    { numRuns: 25 },
  )
})

it('never uses more slots than it has, and frees each of them, even after an error', async () => {
  const owner = fc.record({
    projectId: fc.constantFrom('a', 'b', 'c'),
    webhookId: fc.constantFrom('1', '2', '3', '4'),
    isFailing: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(owner, fc.boolean()), { maxLength: 60 }), async (all) => {
      const slots = createDeliverySlots(total)
      const ends: (() => void)[] = []
      const results = all.map(([each, isError]) =>
        slots
          .run(
            each,
            () =>
              new Promise<void>((end, fail) => ends.push(() => (isError ? fail(new Error('no')) : end()))),
          )
          .catch(() => 'failed'),
      )
      expect(slots.taken).toBeLessThanOrEqual(total)
      for (const end of ends) end()
      await Promise.all(results)
      expect(slots.taken).toBe(0)
    }),
  )
})
