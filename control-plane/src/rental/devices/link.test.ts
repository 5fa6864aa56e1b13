import { deviceLinkSchema } from '@phonerack/shared'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { deviceStates, isUp, stateAfterReport, stateWhenSeen } from './link.js'

const state = fc.constantFrom(...deviceStates)
const link = fc.constantFrom(...deviceLinkSchema.options)

it('never changes the state of a device with data because of a report', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('assigned', 'wiping', 'quarantined', 'provisioning'),
      fc.boolean(),
      link,
      (held, enrolled, report) => {
        expect(stateAfterReport(held, enrolled, report)).toBe(held)
      },
    ),
  )
})

it('frees a device only if it is enrolled and its link is up', () => {
  fc.assert(
    fc.property(state, fc.boolean(), link, (from, enrolled, report) => {
      if (stateAfterReport(from, enrolled, report) !== 'free' || from === 'free') return
      expect(enrolled && isUp(report)).toBe(true)
    }),
  )
  expect(stateAfterReport('offline', true, 'healthy')).toBe('free')
  expect(stateAfterReport('free', true, 'unenrolled')).toBe('offline')
})

it('treats a new device with any link as unenrolled', () => {
  fc.assert(
    fc.property(link, (report) => {
      expect(stateWhenSeen(report)).toBe(report === 'unauthorized' ? 'unauthorized' : 'unenrolled')
    }),
  )
})
