/** Sign-in at identity providers, and the accounts there that a user has added. */
import { arrival } from './arrival'
import { call } from './client'
import { useSession } from './session'
import { type ProviderRef } from './types'

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

async function leave(url: string, kept: Kept): Promise<void> {
  window.sessionStorage.setItem(storageKey, JSON.stringify(kept))
  window.location.assign(url)
  // The page stays busy until the browser leaves it.
  await new Promise(() => undefined)
}

/** @throws RequestFailed */
export const signInAt = async (provider: string, kept: Kept): Promise<void> =>
  leave((await call('POST /auth/providers/:provider', { provider }, {})).url, kept)

/** Links an account at the provider to the user's account. @throws RequestFailed */
export const linkAt = async (provider: string): Promise<void> =>
  leave((await call('POST /me/accounts/:provider', { provider }, {})).url, {})

const readKept = (): Kept => JSON.parse(window.sessionStorage.getItem(storageKey) ?? '{}') as Kept

/** Signs in again, to create a new account instead of using an account that belongs to another person. @throws RequestFailed */
export const replaceAt = (provider: string): Promise<void> =>
  signInAt(provider, { ...readKept(), replaces: true })

interface Finished {
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
  const iss = arrival?.get('iss')
  const { invitation, replaces } = kept
  const { is_link: isLink, is_new: isNew } = await call(
    'POST /auth/providers/:provider/callback',
    { provider },
    {
      code,
      state,
      ...(iss != null && { iss }),
      ...(invitation !== undefined && { invitation }),
      ...(replaces !== undefined && { replaces }),
    },
  )
  window.sessionStorage.removeItem(storageKey)
  return { isLink, isNew, kept }
}
