/** Passkeys. Credentials travel in the JSON form of WebAuthn. */
import { call } from './client'

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
  const options = await call<PublicKeyCredentialRequestOptionsJSON>(
    'GET',
    '/auth/passkey/generate-authenticate-options',
  )
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({
    ...options,
    userVerification: 'required',
  })
  const credential = await ask(() => navigator.credentials.get({ publicKey }))
  await call('POST', '/auth/passkey/verify-authentication', { response: credential.toJSON() as unknown })
}

/** Returns the credential for the server. @throws PasskeyDeclined */
export async function createPasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return (await ask(() => navigator.credentials.create({ publicKey }))).toJSON()
}

/** @throws PasskeyDeclined, RequestFailed */
export async function addPasskey(name: string): Promise<void> {
  const options = await call<PublicKeyCredentialCreationOptionsJSON>(
    'GET',
    '/auth/passkey/generate-register-options',
  )
  await call('POST', '/auth/passkey/verify-registration', { response: await createPasskey(options), name })
}

export interface PasskeyRow {
  id: string
  name: string | null
  created_at: string | null
}

export const listPasskeys = () => call<{ data: PasskeyRow[] }>('GET', '/me/passkeys')
export const removePasskey = (id: string) => call('DELETE', `/me/passkeys/${encodeURIComponent(id)}`)
