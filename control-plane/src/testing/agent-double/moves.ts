/** Calls for phones that were enrolled at another host, answered as by the real agent. */
import { type HostServiceServer } from '@phonerack/proto'
import { ApiError, identityOf, newSeed, signClaim } from '@phonerack/shared'
import { answer } from './answers.js'
import { type Inside } from './inside.js'
import { type DoubleDevice } from './types.js'

/** The claim in the heartbeat of a phone that is not enrolled. */
export function claimOf({ link, seed, claims }: DoubleDevice): { identity?: string } {
  if (link !== 'unenrolled') return {}
  if (claims !== undefined) return { identity: claims }
  return seed === undefined ? {} : { identity: identityOf(seed) }
}

const refuse = (reason: string): never => {
  throw new ApiError('phone_unavailable', {
    message: `Refused: ${reason}.`,
    retryable: false,
    details: { reason },
  })
}

export const moveCalls = (
  agent: Inside,
): Pick<HostServiceServer, 'proveDevice' | 'adoptDevice' | 'forgetDevice'> => ({
  proveDevice: (call, callback) =>
    answer(callback, async () => {
      const { serial, nonce } = call.request
      const device = agent.devices.get(serial)
      agent.log.push(`prove ${serial}`)
      await device?.onProve?.()
      const seed = device?.seed ?? refuse('no_identity')
      const signature = signClaim(seed, { nonce, hostId: agent.hostId, serial })
      return { identity: device?.claims ?? identityOf(seed), signature }
    }),
  forgetDevice: (call, callback) =>
    answer(callback, () => {
      const { serial, fencingNumber } = call.request
      const device = agent.devices.get(serial)
      if (!device || fencingNumber < device.fencing) throw new ApiError('phone_unavailable')
      agent.log.push(`forget ${serial} ${fencingNumber}`)
      Object.assign(device, { fencing: fencingNumber, assignment: null, dirty: true, cleanFor: '' })
      device.revision += 1
      if (device.link === 'healthy') device.link = 'unenrolled'
      agent.beat()
      return Promise.resolve({})
    }),
  adoptDevice: (call, callback) =>
    answer(callback, async () => {
      const { serial, fencingNumber, identity, phoneId } = call.request
      const device = agent.devices.get(serial)
      if (!device) throw new ApiError('phone_unavailable')
      agent.log.push(`adopt ${serial} ${phoneId} ${fencingNumber}`)
      await device.onAdopt?.()
      const carried = device.seed === undefined ? '' : identityOf(device.seed)
      if (identity !== '' && identity !== carried) refuse('other_identity')
      device.seed = newSeed()
      device.fencing = fencingNumber
      device.assignment = phoneId === '' ? null : { phone_id: phoneId, fencing_number: Number(fencingNumber) }
      device.dirty = true
      device.cleanFor = ''
      device.revision = Math.max(device.revision + 1, Date.now())
      device.link = 'healthy'
      agent.beat()
      return { identity: identityOf(device.seed), revision: BigInt(device.revision) }
    }),
})
