import { type DeviceStatus, type Heartbeat } from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deviceChange, inOurTime, isNewer, newDevice, type KnownDevice } from './fold.js'

const now = new Date('2026-01-01T00:10:00Z')
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
const heartbeat = (sequence: number, at: Date) => ({ sequence, at: at.toISOString() }) as Heartbeat

describe('isNewer', () => {
  const known = { sequence: 10n, announcedAt: before(2), lastSeenAt: before(2) }
  it.each([
    ['the next message', 11, now, true],
    ['the same message again', 10, before(2), false],
    ['one that was overtaken', 9, before(4), false],
    ['the first of a restarted agent', 1, now, true],
    ['a later one after its clock was set back', 11, before(600), true],
  ])('%s', (_, sequence, at, newer) => {
    expect(isNewer(known, heartbeat(sequence, at), now, 10_000)).toBe(newer)
  })

  it('accepts any sequence after a silence', () => {
    expect(isNewer({ ...known, lastSeenAt: before(11) }, heartbeat(1, before(600)), now, 10_000)).toBe(true)
  })
})

describe('newDevice', () => {
  it('adopts the number of its agent, unless it is far ahead', () => {
    const report = { serial: 's', link: 'unenrolled', maker: null, model: null, sdk: null } as const
    const seen = (fencing_number: number) =>
      newDevice({ ...report, fencing_number, reason: null, proof_of_life_at: null }, now)
    expect(seen(1_000_000)).toMatchObject({ state: 'unenrolled', fencingNumber: 1_000_000n, reason: null })
    expect(seen(1_000_001)).toMatchObject({ state: 'quarantined', fencingNumber: 0n })
    expect(seen(1_000_001).reason).toContain('1000001')
  })
})

describe('deviceChange', () => {
  const host = { sequence: 1n, announcedAt: before(2), lastSeenAt: before(2) }
  const known: KnownDevice = {
    id: 'dev_x',
    serial: 's',
    state: 'assigned',
    link: 'healthy',
    linkLostAt: null,
    claimedSince: null,
    claimCheckedAt: null,
    lastProofAt: before(100),
    enrolledAt: before(1000),
    fencingNumber: 3n,
    maker: 'm',
    model: 'n',
    sdk: 30,
    reason: null,
    events: [],
    condition: null,
  }
  const status: DeviceStatus = {
    serial: 's',
    link: 'healthy',
    fencing_number: 3,
    maker: 'm',
    model: 'n',
    sdk: 30,
    reason: null,
    proof_of_life_at: before(3).toISOString(),
  }

  it('is null while nothing changes', () => {
    expect(deviceChange(known, status, host, now)).toBeNull()
  })

  it('ends a claim only after the phone has not made it for a while', () => {
    const claimed = { ...known, claimedSince: before(30), claimCheckedAt: before(10), reason: 'claimed' }
    expect(deviceChange(claimed, status, host, now)?.claimedSince).toBeUndefined()
    expect(deviceChange(claimed, null, host, now)?.claimedSince).toBeUndefined()
    const old = { ...claimed, claimCheckedAt: before(100) }
    expect(deviceChange(old, status, host, now)).toMatchObject({ claimedSince: null })
    expect(deviceChange(old, { ...status, identity: 'k' }, host, now)?.claimedSince).toBeUndefined()
  })

  it('stores events and condition once', () => {
    const events = [{ at: now.toISOString(), step: 'reconnect', outcome: 'done' as const, reason: 'it hung' }]
    const condition = {
      checked_at: now.toISOString(),
      battery_percent: 80,
      battery_celsius: 25.5,
      storage_free_bytes: 1,
      storage_total_bytes: 2,
      highest_app_uid: 10_100,
      lock_credential: false,
      warnings: [],
    }
    const change = deviceChange(known, { ...status, events, condition }, host, now)
    expect(change).toMatchObject({ events, condition })
    const told = { ...known, events, condition }
    expect(deviceChange(told, { ...status, events, condition }, host, now)).toBeNull()
    // An older agent does not report events and condition.
    expect(deviceChange(told, status, host, now)).toBeNull()
  })

  it('notes when the link was lost and the last proof of life, once', () => {
    const lost = deviceChange(known, { ...status, link: 'offline', reason: 'no answer' }, host, now)
    expect(lost).toMatchObject({
      state: 'assigned',
      linkLostAt: now,
      lastProofAt: before(3),
      reason: 'no answer',
    })
    const later = {
      ...known,
      link: 'offline',
      linkLostAt: before(20),
      lastProofAt: before(23),
      reason: 'no answer',
    }
    expect(deviceChange(later, { ...status, link: 'absent' }, host, now)).toMatchObject({
      linkLostAt: before(20),
      lastProofAt: before(23),
    })
  })

  it('marks a device that is no longer reported as absent', () => {
    expect(deviceChange(known, null, host, now)).toMatchObject({
      link: 'absent',
      lastProofAt: before(2),
      model: 'n',
    })
  })

  it('uses the age of a proof of life by its agent’s clock, however that clock is set', () => {
    for (const ahead of [-3600, 0, 3600]) {
      const said = { ...status, link: 'offline' as const, proof_of_life_at: before(7 - ahead).toISOString() }
      const report = inOurTime(said, before(2 - ahead).toISOString(), now)
      expect(deviceChange(known, report, host, now)?.lastProofAt).toEqual(before(5))
    }
  })

  it('never stores a proof of life in the future', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min: before(1e6), max: new Date('2030-01-01') }), (said) => {
        const report = { ...status, link: 'offline' as const, proof_of_life_at: said.toISOString() }
        const change = deviceChange(known, report, host, now)
        expect(change?.lastProofAt?.getTime()).toBeLessThanOrEqual(now.getTime())
      }),
    )
  })
})
