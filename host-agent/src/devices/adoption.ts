/**
 * Adopts a phone that was enrolled at another host or under another serial: proves the phone's identity to
 * the control plane, and takes the phone over with its data. Used by `gate.ts`. docs/decisions/0223
 */
import { ApiError, identityOf, signClaim, type Progress } from '@phonerack/shared'
import type { Asked } from '../custody/custody.js'
import type { Fencing } from '../custody/fencing.js'
import { profileIn } from '../custody/profile.js'
import type { Records } from '../custody/records.js'
import { nothingDesired } from '../phone/settings/desired.js'
import { sameAs } from './supervision/same-phone.js'
import type { DeviceSupervisor } from './supervision/supervisor.js'

/** A nonce from the control plane, for one call. */
export interface Challenge {
  nonce: string
  /** This host, which the signature names. */
  hostId: string
}

export interface Proof {
  /** The public key of the identity. */
  identity: string
  signature: Buffer
}

export interface AdoptionOrder {
  /** The public key of the identity that the phone must have; empty when an operator vouches for the phone. */
  identity: string
  /** `profileOf` at the earlier host; empty when unknown. */
  profile: string
}

interface Parts {
  serial: string
  supervisor: DeviceSupervisor
  records: Records
  fencing: Fencing
}

const refused = (reason: 'no_identity' | 'other_identity' | 'in_use', message: string): ApiError =>
  new ApiError('phone_unavailable', { message, retryable: false, details: { reason } })

/** @throws ApiError phone_unavailable when the phone carries no identity */
export async function proveIdentity(
  { serial, supervisor }: Pick<Parts, 'serial' | 'supervisor'>,
  { nonce, hostId }: Challenge,
  progress: Progress,
): Promise<Proof> {
  await supervisor.waitOnline(progress)
  const seed = await supervisor.tie.readSeed(progress)
  if (seed === null) throw refused('no_identity', 'The phone carries no identity.')
  return { identity: identityOf(seed), signature: signClaim(seed, { nonce, hostId, serial }) }
}

/**
 * Takes the phone over, under a fencing number that `gate.ts` has accepted. The order is: the record with the
 * assignment, then the mark, then the new identity. Until the mark is on the phone, the phone does not match
 * the record. A repeat begins again, with the identity that the first attempt wrote, also under a later
 * number: the tenant may have deleted its phone in between. @throws ApiError phone_unavailable when the phone
 * carries another identity or is in use
 */
export async function adoptPhone(
  { serial, supervisor, records, fencing }: Parts,
  { phoneId, tenant, fencingNumber }: Pick<Asked, 'phoneId' | 'tenant' | 'fencingNumber'>,
  { identity: expected, profile: given }: AdoptionOrder,
  within: Progress,
): Promise<string> {
  await supervisor.waitOnline(within.within(60_000))
  const { booted, hardwareSerial } = await supervisor.identify(within)
  if (!booted)
    throw new ApiError('phone_unavailable', {
      message: 'The phone has not finished booting.',
      retryable: true,
    })
  const { tie } = supervisor
  const standing = await tie.check(hardwareSerial, within)
  const twin = (await tie.twins(within))[0]
  if (twin !== undefined)
    throw refused('in_use', `The phone is in use under another serial: ${sameAs(twin)}.`)
  const seed = await tie.readSeed(within)
  const carried = seed === null ? '' : identityOf(seed)
  const number = fencingNumber.toString()
  const before = records.get(serial)
  const written = before.identity?.key === carried ? before.identity : null
  const isRepeat = written?.fencingNumber === number
  const isOwn = isRepeat || (expected !== '' && written?.replaced === expected)
  if (isRepeat && standing.may === 'use' && before.choice) return carried
  if (!isOwn && expected !== '' && carried !== expected)
    throw refused(
      'other_identity',
      carried === ''
        ? 'The phone carries no identity, so it cannot be proven which phone it is.'
        : 'The phone does not carry the expected identity, but an earlier or later identity, or the identity of another phone.',
    )
  const profile = profileIn(given)
  return supervisor.work('provisioning', async () => {
    forgetEarlier(records, serial, carried)
    fencing.enrolled({
      enrolled: true,
      hardwareSerial,
      marks: [],
      mayLackMark: false,
      choice: profile?.choice ?? null,
      baseline: profile?.baseline ?? null,
      wiped: null,
      desired: nothingDesired,
      keyboard: null,
      assignment: phoneId === '' ? null : { phoneId, tenant, fencingNumber: number },
    })
    const { mark } = await tie.mark(within)
    records.update(serial, { marks: [mark] })
    // The earlier host does not know the new identity that this adoption wrote.
    const identity = isOwn ? carried : await tie.renewIdentity(fencingNumber, within, expected)
    if (!profile) await supervisor.probe(within)
    return identity
  })
}

/**
 * Marks the record of an earlier serial of the phone as not enrolled, since this record no longer describes a phone.
 */
function forgetEarlier(records: Records, serial: string, identity: string): void {
  if (identity === '') return
  for (const other of records.serials())
    if (other !== serial && records.get(other).identity?.key === identity)
      records.update(other, { enrolled: false })
}
