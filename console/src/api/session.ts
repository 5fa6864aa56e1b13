/** The user who is signed in, and their projects. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { call, setCsrfToken } from './client'
import { browserHasPasskeys } from './passkeys'
import { type Role, type Session } from './types'

export async function loadSession(): Promise<Session> {
  const session = await call('GET /session', {})
  setCsrfToken(session.csrf_token)
  return session
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: loadSession,
  staleTime: Infinity,
  gcTime: Infinity,
})

export const useSession = (): Session => useSuspenseQuery(sessionQuery).data

/** Whether the server, the page's address and the browser allow passkeys. */
export const useCanUsePasskeys = (): boolean =>
  useSession().passkey_origins.includes(window.location.origin) && browserHasPasskeys()

const rank: readonly Role[] = ['viewer', 'member', 'owner']

/** Decides what the page shows. The server checks each request. */
export const isAtLeast = (role: Role, needed: Role): boolean => rank.indexOf(role) >= rank.indexOf(needed)

export const signIn = (email: string, password: string): Promise<unknown> =>
  call('POST /auth/sign-in/email', {}, { email, password })
