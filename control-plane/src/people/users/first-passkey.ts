/**
 * The passkey with which a new account is created. The passkey is checked before the account exists. Otherwise a failed
 * passkey would use up the link and leave an account without a way to sign in.
 */
import { ApiError, hashSecret, newId } from '@phonerack/shared'
import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'
import { type ConsoleConfig } from '../../base/config/console.js'
import { type Core } from '../../base/core/core.js'
import { notValid, lookAtInvitation } from './invitations.js'
import { type NewPasskey } from './new-user.js'

type Passkeys = ConsoleConfig['passkeys']

/** Milliseconds for the browser's dialog with the person. */
const dialogMs = 300_000

/** The data that is stored when the dialog begins. */
const begunSchema = z.object({ challenge: z.string(), tokenHash: z.string() })

export const passkeySchema = z.strictObject({
  handle: z.string().max(100),
  /** The result of `PublicKeyCredential.toJSON()`; the library validates it. */
  response: z.looseObject({ id: z.string().max(2000) }),
})
type FirstPasskey = z.output<typeof passkeySchema>

const off = (): ApiError =>
  new ApiError('invalid_request', {
    message: 'Passkeys are not available at this address of the console.',
    next: 'Choose a password.',
  })

/**
 * Returns options for the browser, and a handle for the response. @throws ApiError not_found for an invalid link;
 * invalid_request
 */
export async function beginPasskey(
  core: Core,
  passkeys: Passkeys,
  token: string,
  person: { name: string; email: string },
): Promise<{ handle: string; options: PublicKeyCredentialCreationOptionsJSON }> {
  if (!passkeys) throw off()
  const { email } = await lookAtInvitation(core, token)
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  const options = await generateRegistrationOptions({
    rpName: 'Phonerack',
    rpID: passkeys.rpId,
    timeout: dialogMs,
    attestationType: 'none',
    userName: email ?? person.email,
    userDisplayName: person.name,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  const handle = newId('verification')
  const value = { challenge: options.challenge, tokenHash: hashSecret(token) }
  const now = core.clock.now()
  await core.db.userVerification.create({
    data: {
      id: handle,
      identifier: identifierOf(handle),
      value: JSON.stringify(value),
      createdAt: now,
      updatedAt: now,
      expiresAt: new Date(now.getTime() + dialogMs),
    },
  })
  return { handle, options }
}

const identifierOf = (handle: string): string => `first passkey ${handle}`

/** Checks the browser's response, which is accepted once. @throws ApiError invalid_request, not_found */
export async function checkPasskey(
  core: Core,
  passkeys: Passkeys,
  token: string,
  { handle, response }: FirstPasskey,
): Promise<NewPasskey> {
  if (!passkeys) throw off()
  const where = { id: handle, identifier: identifierOf(handle), expiresAt: { gt: core.clock.now() } }
  const row = await core.db.userVerification.findFirst({ where })
  const spent = await core.db.userVerification.deleteMany({ where })
  if (!row || spent.count === 0) throw notValid()
  const { challenge, tokenHash } = begunSchema.parse(JSON.parse(row.value))
  if (tokenHash !== hashSecret(token)) throw notValid()
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyRegistrationResponse({
    response: response as unknown as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: passkeys.origins,
    expectedRPID: passkeys.rpId,
    requireUserVerification: true,
  }).catch((error: unknown) => {
    core.log.info({ err: error }, 'a passkey could not be verified')
    return null
  })
  if (!verified?.verified)
    throw new ApiError('invalid_request', {
      message: 'The passkey could not be verified.',
      next: 'Try again, or choose a password.',
    })
  const { credential, aaguid, credentialDeviceType, credentialBackedUp } = verified.registrationInfo
  return {
    credentialID: credential.id,
    counter: credential.counter,
    aaguid,
    publicKey: Buffer.from(credential.publicKey).toString('base64'),
    deviceType: credentialDeviceType,
    backedUp: credentialBackedUp,
    transports: credential.transports?.join(',') ?? '',
  }
}
