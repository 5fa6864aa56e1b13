// Sorts phones that need a person, and finds new requests.
import { expect, it } from 'vitest'
import { type Handoff } from '../api/types'
import { needsOf, newRequests, sortByNeed, waitingIn } from './handoffs'

const handoff = (id: string, status: Handoff['status']): Handoff => ({
  id: `hnd_${id}`,
  status,
  message: null,
  by: null,
  is_you: false,
  phone: { id, name: id },
  project_id: 'prj',
  created_at: '',
  expires_at: '',
})
const current = [handoff('c', 'open'), handoff('b', 'taken'), handoff('d', 'open')]

it('sorts phones whose agents wait first, then phones that a person controls; the others keep their order', () => {
  const phones = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }))
  expect(sortByNeed(phones, needsOf(current)).map(({ id }) => id)).toEqual(['c', 'd', 'b', 'a', 'e'])
  expect(sortByNeed(phones, needsOf(undefined))).toEqual(phones)
})

it('counts the agents that wait', () => {
  expect(waitingIn(current)).toBe(2)
})

it('reports a request as new once, and not in the first list', () => {
  expect(newRequests(current, null)).toEqual([])
  expect(newRequests(current, new Set(['hnd_c'])).map(({ id }) => id)).toEqual(['hnd_d'])
  expect(newRequests(current, new Set(['hnd_b', 'hnd_c', 'hnd_d']))).toEqual([])
})
