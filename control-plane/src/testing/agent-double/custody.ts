/** The double's custody record, and the fencing check before each call. */
import { WipeLevel, type Assignment, type WipeCheck } from '@phonerack/proto'
import { ApiError, identityOf, newSeed, type CustodyReport } from '@phonerack/shared'
import { type DoubleDevice } from './types.js'

export const custodyOf = ({ assignment, dirty, cleanFor, revision }: DoubleDevice): CustodyReport => ({
  revision,
  assignment,
  dirty,
  clean_for: cleanFor,
})

/** Updates the record after a wipe, and returns the response. */
export function wiped(device: DoubleDevice, checks: readonly WipeCheck[], knowsCustody: boolean) {
  const verified = checks.every((check) => check.passed)
  device.revision = Math.max(device.revision + 1, Date.now())
  if (verified) {
    device.assignment = null
    device.dirty = false
    device.cleanFor = device.cleansFor ?? 'anyone'
    device.seed = newSeed()
  }
  const { revision, cleanFor } = device
  const identity = verified && device.seed !== undefined ? identityOf(device.seed) : ''
  const known = { identity, profileJson: verified ? '{"double":true}' : '' }
  if (!knowsCustody)
    return { ...known, verified, level: WipeLevel.WIPE_LEVEL_UNSPECIFIED, revision: 0n, cleanFor: '' }
  const level = cleanFor === 'anyone' ? WipeLevel.WIPE_LEVEL_DATA : WipeLevel.WIPE_LEVEL_PACKAGE
  return { ...known, verified, level, revision: BigInt(revision), cleanFor }
}

/** Accepts only the newest number, as the real agent does. Some calls may bring a newer number. */
export function takeDevice(
  devices: ReadonlyMap<string, DoubleDevice>,
  assignment: Assignment | undefined,
  intent: 'hold' | 'use' | 'erase',
): DoubleDevice {
  const device = assignment && devices.get(assignment.serial)
  if (!device) throw new ApiError('phone_unavailable')
  const { fencingNumber: number, phoneId } = assignment
  const refuse = (reason: string): never => {
    const current = device.fencing.toString()
    throw new ApiError('phone_unavailable', {
      message: `refused: ${reason}`,
      details: { reason, fencing_number: number.toString(), current_fencing_number: current },
    })
  }
  const held = device.assignment
  if (number < device.fencing || (number > device.fencing && intent === 'hold')) refuse('old_number')
  const isTaken = held !== null && BigInt(held.fencing_number) === number && held.phone_id !== phoneId
  if (isTaken) refuse(intent === 'hold' ? 'not_assigned' : 'number_taken')
  if (intent === 'use') {
    if (!held && device.cleanFor !== '' && assignment.hasData) refuse('data_wiped')
    if (held ? held.phone_id !== phoneId : device.cleanFor === '') refuse('not_wiped')
    device.assignment = { phone_id: phoneId, fencing_number: Number(number) }
    device.dirty = true
    device.cleanFor = ''
  }
  if (intent !== 'hold') device.revision = Math.max(device.revision + 1, Date.now())
  device.fencing = number
  return device
}
