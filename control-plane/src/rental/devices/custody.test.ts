import { type CustodyReport } from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judge, type CustodyRow } from './custody.js'
import { deviceStates } from './link.js'

const row: CustodyRow = {
  state: 'free',
  link: 'healthy',
  enrolledAt: new Date(0),
  fencingNumber: 5n,
  phoneId: null,
  confirmedEpoch: 'e',
  cleanFor: 'anyone',
  custodyRevision: 10n,
  adoptingSince: null,
}
const clean: CustodyReport = { revision: 10, assignment: null, dirty: false, clean_for: 'anyone' }
const used: CustodyReport = { revision: 11, assignment: null, dirty: true, clean_for: '' }
const by = (phone_id: string, fencing_number = 5): CustodyReport => ({
  ...used,
  assignment: { phone_id, fencing_number },
})
const kindOf = (change: Partial<CustodyRow>, fencing_number: number, custody?: CustodyReport): string =>
  judge({ ...row, ...change }, { fencing_number, custody }).kind
const assigned = { state: 'assigned', phoneId: 'ph_a' } as const

describe('judge', () => {
  it.each([
    ['an idle device that is clean', {}, 5, clean, 'clean'],
    ['one that is clean under a higher number', {}, 9, clean, 'clean ahead'],
    ['one that was used', {}, 5, used, 'wipe'],
    ['one that was used by a phone', {}, 7, by('ph_x'), 'wipe'],
    ['one whose agent has forgotten a number', {}, 4, { ...clean, revision: 99 }, 'wipe'],
    ['one that was used and is absent', { state: 'offline', link: 'absent' }, 5, used, 'not clean'],
    ['a report from before the wipe', {}, 5, { ...used, revision: 9 }, 'agreed'],
    ['an agent that keeps no record', {}, 5, undefined, 'agreed'],
    ['a number that is far ahead', {}, 1_000_006, clean, 'far ahead'],
    ['the furthest number that is believed', {}, 1_000_005, clean, 'clean ahead'],
    ['a wipe whose number is newer than any', { state: 'wiping' }, 4, used, 'agreed'],
    ['a wipe under way', { state: 'wiping' }, 5, by('ph_x', 4), 'agreed'],
    ['a wipe whose number a phone has', { state: 'wiping' }, 5, by('ph_x', 5), 'order again'],
    ['a wipe whose number is used up', { state: 'wiping' }, 6, used, 'order again'],
    ['an enrolment whose number is used up', { state: 'provisioning' }, 6, used, 'order again'],
    ['a phone and its device', assigned, 5, by('ph_a'), 'agreed'],
    ['a phone whose agent is ahead', assigned, 6, by('ph_a', 6), 'order again'],
    ['a phone that is about to start', assigned, 4, clean, 'agreed'],
    ['a phone that is reset', assigned, 5, clean, 'agreed'],
    ['a phone whose device was wiped in between', assigned, 8, clean, 'wiped since'],
    ['a phone whose device another one has', assigned, 5, by('ph_b'), 'used by another'],
    ['a phone whose device an unknown one had', assigned, 5, used, 'used by unknown'],
    ['a device that is held back', { state: 'quarantined' }, 6, used, 'renumber'],
    ['a device that was never enrolled', { state: 'unenrolled', enrolledAt: null }, 6, clean, 'renumber'],
  ] as const)('%s', (_, change, number, custody, kind) => {
    expect(kindOf(change, number, custody)).toBe(kind)
  })

  it('treats a device as clean only if its agent reports it as clean under the number of its row', () => {
    const record = fc.record({
      revision: fc.integer({ min: 0, max: 20 }),
      assignment: fc.option(
        fc.record({ phone_id: fc.constantFrom('ph_a', 'ph_b'), fencing_number: fc.nat(10) }),
      ),
      dirty: fc.boolean(),
      clean_for: fc.constantFrom('', 'anyone', 'tenant:a'),
    })
    const changes = fc.record({
      state: fc.constantFrom(...deviceStates),
      link: fc.constantFrom('healthy', 'busy', 'absent', 'offline'),
      phoneId: fc.option(fc.constantFrom('ph_a', 'ph_b')),
    })
    fc.assert(
      fc.property(changes, record, fc.nat(12), (change, custody, number) => {
        const kind = kindOf(change, number, custody)
        if (!kind.startsWith('clean')) return
        expect(custody.clean_for).not.toBe('')
        expect(number).toBeGreaterThanOrEqual(5)
        expect(['free', 'offline', 'unauthorized']).toContain(change.state)
      }),
    )
  })
})
