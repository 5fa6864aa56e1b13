/** Findings about what phones can connect to. Pure. */
import { error, ok, unknown, warning } from './finding.js'
import type { Finding, PhoneNetwork } from './readings.js'

const id = 'phone_network'
const byHand = 'on the phone: nc -w 2 ADDRESS-OF-THIS-MACHINE 22'

export function phoneNetworkFindings(phones: readonly PhoneNetwork[]): Finding[] {
  if (phones.length === 0) return []
  const tries = phones.flatMap(({ serial, agent, phones: others }) => [
    ...others.map((each) => ({ serial, kind: 'phone' as const, ...each })),
    ...agent.map((each) => ({ serial, kind: 'agent' as const, ...each })),
  ])
  if (tries.length === 0)
    return [
      unknown(
        id,
        'nothing was tried: the agent listens only on this machine, and no other phone has a network address',
        'Apps of tenants must not reach this machine or other phones.',
        byHand,
      ),
    ]
  const findings = tries.flatMap(({ serial, kind, place, isReached }): Finding[] => {
    if ('failed' in isReached)
      return [
        unknown(
          id,
          `whether ${serial} can connect to ${place} could not be checked: ${isReached.failed}`,
          'Apps of tenants run on the phone.',
          byHand,
        ),
      ]
    if (!isReached.value) return []
    return [kind === 'phone' ? toPhone(serial, place) : toAgent(serial, place)]
  })
  if (findings.length > 0) return findings
  return [
    ok(
      id,
      `${phones.length === 1 ? '1 phone connects' : `${phones.length} phones connect`} to none of ${places(tries)}`,
    ),
  ]
}

function places(tries: readonly { place: string }[]): string {
  const all = [...new Set(tries.map(({ place }) => place))]
  return all.length > 6 ? `${all.slice(0, 6).join(', ')} and ${all.length - 6} more` : all.join(', ')
}

const toPhone = (serial: string, place: string): Finding =>
  error(
    id,
    `${serial} can connect to the ADB port of the phone ${place}`,
    "An app of one tenant could attack another tenant's phone.",
    'isolate the phones from each other where they are connected (deploy/network/README.md)',
  )

const toAgent = (serial: string, place: string): Finding =>
  warning(
    id,
    `${serial} can connect to the agent at ${place}`,
    'Apps of tenants reach this machine. Only mutual TLS protects the agent from them.',
    'keep this machine out of the network of the phones (deploy/network/README.md), or reject connections from the phones in its firewall',
  )
