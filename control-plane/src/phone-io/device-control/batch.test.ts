import { type Action } from '@phonerack/shared'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countOk, resultsOfLostBatch } from './batch.js'

const actions: Action[] = Array.from({ length: 4 }, () => ({ type: 'home' }))
const ok = (index: number) => ({ index, type: 'home', ok: true, ms: 1 })
const failed = (index: number) => ({ index, type: 'home', ok: false, ms: 1 })
const codes = (results: unknown[] | null) =>
  results?.map(
    (entry) => (entry as { error?: { code: string } }).error?.code ?? (entry as { ok: boolean }).ok,
  )

it('knows nothing when nothing was reported', () => {
  expect(resultsOfLostBatch(actions, { results: [], started: -1, sinceStartMs: 0 })).toBeNull()
})

it('marks the started action', () => {
  const results = resultsOfLostBatch(actions, { results: [ok(0)], started: 1, sinceStartMs: 20.4 })
  expect(codes(results)).toEqual([true, 'action_outcome_unknown'])
  expect(results?.[1]).toMatchObject({ index: 1, type: 'home', ms: 20 })
})

it('marks the next action when the last one finished, since the report of its start may be lost', () => {
  const known = { results: [ok(0), ok(1)], started: 1, sinceStartMs: 5 }
  expect(codes(resultsOfLostBatch(actions, known))).toEqual([true, true, 'action_outcome_unknown'])
})

it('marks no action after a failure or after the last action', () => {
  expect(codes(resultsOfLostBatch(actions, { results: [failed(0)], started: 0, sinceStartMs: 5 }))).toEqual([
    false,
  ])
  const all = actions.map((_, index) => ok(index))
  expect(codes(resultsOfLostBatch(actions, { results: all, started: 3, sinceStartMs: 5 }))).toEqual(
    all.map(() => true),
  )
})

it('keeps what was reported and adds at most one entry', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4 }), fc.boolean(), (finished, more) => {
      const results = Array.from({ length: finished }, (_, index) => ok(index))
      const started = more && finished < 4 ? finished : finished - 1
      const after = resultsOfLostBatch(actions, { results, started, sinceStartMs: 1 })
      if (after === null) return
      expect(after.slice(0, finished)).toEqual(results)
      expect(after.length - finished).toBeLessThanOrEqual(1)
      expect(countOk(after)).toBe(finished)
    }),
  )
})
