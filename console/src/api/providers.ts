/** Sign-in at identity providers, and the accounts there that a user has added. */
import { arrival } from './arrival'
import { call } from './client'
import { useSession, type ProviderRef } from './session'

/** The tab keeps these fields while it shows the provider's page. */
interface Kept {
  /** The path of the console's page to return to. */
  next?: string | undefined
  /** The token of the link that the person opened. */
  invitation?: string | undefined
  /** The existing account with the person's address belongs to another person. */
  replaces?: boolean | undefined
}

const storageKey = 'phonerack.sign-in'

/** Empty at another address of the service: providers return to the main address only. */
export function useProviders(): ProviderRef[] {
  const { providers, console_url: consoleUrl } = useSession()
  return consoleUrl.startsWith(`${window.location.origin}/`) ? providers : []
}

async function leave(path: string, kept: Kept): Promise<void> {
  const { url } = await call<{ url: string }>('POST', path, {})
  window.sessionStorage.setItem(storageKey, JSON.stringify(kept))
  window.location.assign(url)
  // The page stays busy until the browser leaves it.
  await new Promise(() => undefined)
}

/** @throws RequestFailed */
export const signInAt = (provider: string, kept: Kept): Promise<void> =>
  leave(`/auth/providers/${encodeURIComponent(provider)}`, kept)

/** Links an account at the provider to the user's account. @throws RequestFailed */
export const linkAt = (provider: string): Promise<void> =>
  leave(`/me/accounts/${encodeURIComponent(provider)}`, {})

const readKept = (): Kept => JSON.parse(window.sessionStorage.getItem(storageKey) ?? '{}') as Kept

/** Signs in again, to create a new account instead of one that belongs to another person. @throws RequestFailed */
export const replaceAt = (provider: string): Promise<void> =>
  signInAt(provider, { ...readKept(), replaces: true })

export interface Finished {
  isLink: boolean
  isNew: boolean
  kept: Kept
}

/** Sends the provider's answer. @throws RequestFailed, Error for a person who declined */
export async function finishAt(provider: string): Promise<Finished> {
  const kept = readKept()
  const [code, state] = [arrival?.get('code'), arrival?.get('state')]
  if (!code || !state)
    throw new Error(
      arrival?.get('error') === 'access_denied'
        ? 'You did not sign in at the provider.'
        : 'The provider sent no valid answer. Sign in again.',
    )
  const iss = arrival?.get('iss') ?? undefined
  const { is_link: isLink, is_new: isNew } = await call<{ is_link: boolean; is_new: boolean }>(
    'POST',
    `/auth/providers/${encodeURIComponent(provider)}/callback`,
    { code, state, iss, invitation: kept.invitation, replaces: kept.replaces },
  )
  window.sessionStorage.removeItem(storageKey)
  return { isLink, isNew, kept }
}

export interface LinkedAccount {
  id: string
  name: string
  /** False: the operator no longer configures the provider. */
  is_usable: boolean
  created_at: string
}

export const listAccounts = () =>
  call<{ data: LinkedAccount[]; has_password: boolean }>('GET', '/me/accounts')
export const unlinkAccount = (id: string) => call('DELETE', `/me/accounts/${encodeURIComponent(id)}`)

/** Requests a link to create an account. The response does not reveal whether the address has an account. */
export const requestSignUp = (email: string) => call('POST', '/sign-ups', { email })
