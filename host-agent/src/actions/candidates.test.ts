import type { ActionResult, Observation } from '@phonerack/shared'
import { expect, it } from 'vitest'
import { relateCandidates } from './candidates.js'

const at = (ref: number, text: string, y: number) => ({
  ref,
  type: 'Button',
  text,
  desc: null,
  id: null,
  center: [50, y] as [number, number],
})
const observation = (...buttons: ReturnType<typeof at>[]): Observation => ({
  snapshot_id: 'snp_aaaaaaaaaaaa',
  taken_at: '2026-01-01T00:00:00.000Z',
  app: { package: 'com.example.app', activity: null },
  keyboard: { visible: false, focused_editable: false },
  screen: { width: 100, height: 1000 },
  elements: buttons.map((button) => ({ ...button, bounds: [0, 0, 1, 1], state: [] })),
  truncated: false,
  text: '',
})
const failed = (...candidates: ReturnType<typeof at>[]): ActionResult => ({
  index: 0,
  type: 'tap',
  ok: false,
  ms: 1,
  error: { code: 'ambiguous_target', message: '', retryable: false, next: null, details: { candidates } },
})
const details = (result: ActionResult[]) => result[0]?.error?.details

it('gives each candidate the ref and centre of the nearest equal element, and no element to two candidates [30.33]', () => {
  const results = [failed(at(4, 'OK', 500), at(5, 'OK', 700))]
  const now = observation(at(1, 'No', 500), at(2, 'OK', 520), at(3, 'OK', 690))
  expect(details(relateCandidates(results, now))).toEqual({
    candidates: [at(2, 'OK', 520), at(3, 'OK', 690)],
    snapshot_id: 'snp_aaaaaaaaaaaa',
  })
})

it('keeps all candidates as seen when one has gone, and leaves other results unchanged [30.34]', () => {
  const fine: ActionResult = { index: 0, type: 'home', ok: true, ms: 1 }
  const results = [fine, failed(at(4, 'OK', 500), at(5, 'OK', 700))]
  expect(relateCandidates(results, observation(at(2, 'OK', 520)))).toEqual(results)
})
