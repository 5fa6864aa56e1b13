/** Passkeys. Credentials travel in the JSON form of WebAuthn. */
import { call } from './client'
import { type Body } from './generated/routes'

/** The browser can create and use passkeys. */
export const browserHasPasskeys = (): boolean =>
  'PublicKeyCredential' in window &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential

/** The person closed the browser's dialog, or the dialog timed out. */
export class PasskeyDeclined extends Error {
  constructor() {
    super('No passkey was used.')
  }
}

async function ask(get: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await get()
    if (credential instanceof PublicKeyCredential) return credential
    throw new PasskeyDeclined()
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotAllowedError') throw new PasskeyDeclined()
    if (error instanceof DOMException && error.name === 'InvalidStateError')
      throw new Error('This device already has a passkey for your account.', { cause: error })
    throw error
  }
}

/** @throws PasskeyDeclined, RequestFailed */
export async function signInWithPasskey(): Promise<void> {
  const options = await call('GET /auth/passkey/generate-authenticate-options', {})
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({
    ...(options as PublicKeyCredentialRequestOptionsJSON),
    userVerification: 'required',
  })
  const credential = await ask(() => navigator.credentials.get({ publicKey }))
  await call('POST /auth/passkey/verify-authentication', {}, { response: jsonOf(credential) })
}

const jsonOf = (
  credential: PublicKeyCredential,
): Body<'POST /auth/passkey/verify-authentication'>['response'] => ({ ...credential.toJSON() })

/** Returns the credential for the server. @throws PasskeyDeclined */
async function createPasskey(options: unknown) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  )
  return jsonOf(await ask(() => navigator.credentials.create({ publicKey })))
}

/** @throws PasskeyDeclined, RequestFailed */
export async function addPasskey(name: string): Promise<void> {
  const options = await call('GET /auth/passkey/generate-register-options', {})
  await call('POST /auth/passkey/verify-registration', {}, { response: await createPasskey(options), name })
}

/** Creates the account together with its first passkey. @throws PasskeyDeclined, RequestFailed */
export async function acceptWithPasskey(
  token: string,
  user: Body<'POST /invitations/passkey'>['user'],
): Promise<void> {
  const { handle, options } = await call('POST /invitations/passkey', {}, { token, user })
  const passkey = { handle, response: await createPasskey(options) }
  await call('POST /invitations/accept', {}, { token, user: { ...user, passkey } })
}
