import fc from 'fast-check'
import { expect, it } from 'vitest'
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
