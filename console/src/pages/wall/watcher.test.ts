// Chooses the phones of a wall that are asked for a picture, with the clock of the test.
import { beforeEach, expect, it } from 'vitest'
import { type ThumbnailAnswer } from '../../api/thumbnails'
import { mostThumbnails, Watcher } from './watcher'

let now: number
/** Requests that wait for their answer. */
let open: { id: string; tag: string; signal: AbortSignal; answer: (answer: ThumbnailAnswer) => void }[]
let changes: string[]
let watcher: Watcher
beforeEach(() => {
  now = 0
  open = []
  changes = []
  watcher = new Watcher(
    (id, tag, signal) => new Promise((answer) => open.push({ id, tag, signal, answer })),
    () => now,
  )
})

const add = (id: string): (() => void) => {
  const remove = watcher.add(id, () => void changes.push(id))
  watcher.setVisible(id, true)
  return remove
}
const picture = (tag: string): ThumbnailAnswer => ({ kind: 'picture', url: `data:${tag}`, tag })
const settled = () => new Promise((resolve) => setTimeout(resolve, 0))
/** Sends the due requests, answers them, and returns their phones. */
async function round(answer: ThumbnailAnswer): Promise<string[]> {
  watcher.tick()
  const asked = open.splice(0)
  for (const each of asked) each.answer(answer)
  await settled()
  return asked.map(({ id }) => id)
}

it('asks for visible phones only, once a second each', async () => {
  add('a')
  watcher.add('b', () => undefined)
  expect(await round(picture('1'))).toEqual(['a'])
  now = 999
  expect(await round(picture('1'))).toEqual([])
  watcher.setVisible('b', true)
  now = 1000
  expect((await round(picture('1'))).sort()).toEqual(['a', 'b'])
})

it('asks for at most 12 pictures in a second, the oldest first, so that each phone has its turn', async () => {
  const ids = Array.from({ length: 30 }, (_, index) => `p${index}`)
  ids.forEach(add)
  const seen: string[] = []
  for (now = 0; now < 3000; now += 250) {
    const asked = await round(picture('1'))
    seen.push(...asked)
  }
  expect(seen).toHaveLength(3 * mostThumbnails)
  expect(new Set(seen)).toEqual(new Set(ids))
})

it('has at most 12 requests at the same time, however slow they are', async () => {
  Array.from({ length: 30 }, (_, index) => `p${index}`).forEach(add)
  for (now = 0; now < 5000; now += 250) watcher.tick()
  expect(open).toHaveLength(mostThumbnails)
  open.shift()?.answer(picture('1'))
  await settled()
  watcher.tick()
  expect(open).toHaveLength(mostThumbnails)
})

it('shows the picture, keeps it while it is unchanged or the phone is busy, and drops it when it is hidden', async () => {
  add('a')
  await round(picture('1'))
  expect([watcher.shown('a'), changes]).toEqual([{ url: 'data:1', why: null }, ['a']])
  for (const answer of [
    { kind: 'unchanged' },
    { kind: 'none', why: 'busy' },
    { kind: 'refused', why: 'failed' },
    { kind: 'refused', why: 'limit' },
  ] as const) {
    now += 20_000
    expect(await round(answer)).toEqual(['a'])
    expect([watcher.shown('a').url, changes]).toEqual(['data:1', ['a']])
  }
  now += 20_000
  watcher.tick()
  expect(open[0]?.tag).toBe('1')
  open.shift()?.answer({ kind: 'none', why: 'typed' })
  await settled()
  expect([watcher.shown('a'), changes]).toEqual([{ url: null, why: 'typed' }, ['a', 'a']])
  now += 1000
  watcher.tick()
  // With the tag, the server would leave the picture out.
  expect(open[0]?.tag).toBe('')
})

it('drops the picture of a phone that the user may no longer see', async () => {
  add('a')
  await round(picture('1'))
  now = 1000
  await round({ kind: 'refused', why: 'denied' })
  expect(watcher.shown('a')).toEqual({ url: null, why: 'unreadable' })
  now = 10_999
  expect(await round(picture('2'))).toEqual([])
  now = 11_000
  watcher.tick()
  expect(open[0]?.tag).toBe('')
})

it('waits 10 seconds after a refusal, and with all phones after a refusal for too many requests', async () => {
  add('a')
  await round({ kind: 'refused', why: 'failed' })
  add('b')
  now = 9999
  expect(await round(picture('1'))).toEqual(['b'])
  now = 10_000
  expect(await round({ kind: 'refused', why: 'limit' })).toEqual(['a'])
  now = 19_999
  expect(await round(picture('1'))).toEqual([])
  now = 20_000
  expect((await round(picture('1'))).sort()).toEqual(['a', 'b'])
})

it('ends the requests of phones that are hidden or removed, and ignores their answers', async () => {
  const remove = add('a')
  add('b')
  watcher.tick()
  const [a, b] = open.splice(0)
  remove()
  watcher.setVisible('b', false)
  expect([a?.signal.aborted, b?.signal.aborted]).toEqual([true, true])
  for (const each of [a, b]) each?.answer(picture('1'))
  await settled()
  expect([watcher.shown('b').url, changes]).toEqual([null, []])
  now = 5000
  expect(await round(picture('1'))).toEqual([])
})
