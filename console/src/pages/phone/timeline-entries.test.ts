// The positions of refused calls in the timeline of a phone.
import { expect, it } from 'vitest'
import { type ActivityEntry, type Step } from '../../api/types'
import { timelineOf } from './timeline-entries'

const at = (second: number): string => new Date(second * 1000).toISOString()
const step = (second: number): Step => ({
  object: 'step',
  id: `stp_${second}`,
  phone: 'ph_a',
  session: 'ses_a',
  request_id: 'req_a',
  status: 'succeeded',
  started_at: at(second),
  ended_at: at(second),
  duration_ms: 1,
  by: { via: 'api', client: null, key_id: 'key_a', key_name: 'agent' },
  observe: null,
  actions: [],
  results: [],
  completed: 0,
  error: null,
  text_kept: false,
  before: null,
  after: null,
  picture: null,
  expires_at: at(second),
})
const call = (second: number, code = 'phone_controlled'): ActivityEntry => ({
  id: `act_${second}`,
  at: at(second),
  key_id: 'key_a',
  request_id: 'req_a',
  text: 'Ran actions',
  method: 'POST',
  route: '/v1/phones/:id/actions',
  phone_id: 'ph_a',
  status: 409,
  code,
  ms: 1,
})
const shortOf = (entries: ReturnType<typeof timelineOf>) =>
  entries.map((entry) => (entry.kind === 'step' ? entry.step.id : `${entry.count} × ${entry.id}`))

it('lists calls that were refused during a take-over as one entry between the steps before and after', () => {
  const refused = [call(9), call(8), call(7, 'validation_failed'), call(5), call(2)]
  expect(shortOf(timelineOf([step(6), step(3)], refused, true))).toEqual([
    ...['2 × act_9', 'stp_6', '1 × act_5', 'stp_3', '1 × act_2'],
  ])
})

it('leaves out calls that are older than the oldest shown step', () => {
  expect(shortOf(timelineOf([step(6)], [call(9), call(5)], false))).toEqual(['1 × act_9', 'stp_6'])
  expect(shortOf(timelineOf([], [call(5)], true))).toEqual(['1 × act_5'])
  expect(timelineOf([], [], true)).toEqual([])
})
