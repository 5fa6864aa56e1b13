import { expect, it } from 'vitest'
import type { Host } from '../operator/client.js'
import { certificateOf, certificateWarnings } from './certificate.js'

const now = new Date('2026-06-01T12:00:00Z')
const host = (name: string, days: number, state: Host['state'] = 'online') => ({
  id: `hst_${name}`,
  name,
  state,
  certificate_expires_at: new Date(now.getTime() + days * 86_400_000).toISOString(),
})

it('shows when certificates expire, and warns below 14 days', () => {
  const hosts = [host('a', 27.5), host('b', 14), host('c', 13.9), host('d', -1), host('e', 3, 'retired')]
  expect(hosts.map((each) => certificateOf(each, now))).toEqual([
    ...['expires in 27 d', 'expires in 14 d', 'expires in 13 d', 'expired', null],
  ])
  const warnings = certificateWarnings(hosts, now)
  expect(warnings).toHaveLength(2)
  expect(warnings[0]).toContain('c (hst_c) expires in 13 d')
  expect(warnings[1]).toContain('d (hst_d) has expired; ./scripts/ctl host rejoin hst_d')
})

it('shows nothing for a control plane that does not report it', () => {
  const older = { id: 'hst_a', name: 'a', state: 'online' as const }
  expect(certificateOf(older, now)).toBeNull()
  expect(certificateWarnings([older], now)).toEqual([])
})
