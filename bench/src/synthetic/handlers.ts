/** The calls that a synthetic agent answers: the lifecycle of phones, and the renewal of its certificate. */
import {
  callerOf,
  createIdentityHandlers,
  unary,
  WipeLevel,
  type Handlers,
  type HostServiceServer,
} from '@phonerack/host-agent/wire'
import { ApiError, identityOf, newSeed, type Logger } from '@phonerack/shared'
import type { SyntheticPhone } from './phone.js'

type Renewal = Parameters<typeof createIdentityHandlers>[0]
type Calls = Pick<
  HostServiceServer,
  | 'startPhone'
  | 'parkPhone'
  | 'wipeDevice'
  | 'enrollDevice'
  | 'rebootPhone'
  | 'beginRenewal'
  | 'finishRenewal'
  | 'trustAuthorities'
>

const checks = [{ name: 'synthetic', passed: true, evidence: 'there is no phone' }]
const capabilities = ['input', 'ui', 'screen', 'wipe'].map((name) => ({
  name,
  implementation: 'synthetic',
  evidence: 'there is no phone',
}))

const cleanness = (phone: SyntheticPhone) => ({
  verified: true,
  checks,
  level: WipeLevel.WIPE_LEVEL_DATA,
  ...phone.cleanness,
  // Each wipe writes a new key, as on a phone.
  identity: identityOf(newSeed()),
  profileJson: '',
})

export function createSyntheticHandlers(
  phones: ReadonlyMap<string, SyntheticPhone>,
  renewal: Renewal,
  log: Logger,
): Handlers {
  const phoneOf = (serial: string): SyntheticPhone => {
    const phone = phones.get(serial)
    if (!phone)
      throw new ApiError('phone_unavailable', { message: `This agent has no synthetic phone ${serial}.` })
    return phone
  }
  const calls: Calls = {
    ...createIdentityHandlers(renewal, log),
    startPhone: unary(log, 'StartPhone', async ({ assignment }) => {
      const caller = callerOf(assignment)
      return { readyAt: await phoneOf(caller.serial).start(caller) }
    }),
    parkPhone: unary(log, 'ParkPhone', async ({ assignment }) => {
      const caller = callerOf(assignment)
      await phoneOf(caller.serial).park(caller)
      return {}
    }),
    rebootPhone: unary(log, 'RebootPhone', async ({ assignment }) => {
      const caller = callerOf(assignment)
      await phoneOf(caller.serial).park(caller)
      return {}
    }),
    wipeDevice: unary(log, 'WipeDevice', async ({ assignment }) => {
      const caller = callerOf(assignment)
      const phone = phoneOf(caller.serial)
      await phone.wipe(caller)
      return cleanness(phone)
    }),
    enrollDevice: unary(log, 'EnrollDevice', async ({ serial, fencingNumber }) => {
      const phone = phoneOf(serial)
      await phone.enroll(fencingNumber)
      return { ...cleanness(phone), capabilities }
    }),
  }
  // grpc-js answers missing calls with UNIMPLEMENTED.
  return {
    host: calls as HostServiceServer,
    live: {} as Handlers['live'],
    recordings: {} as Handlers['recordings'],
  }
}
