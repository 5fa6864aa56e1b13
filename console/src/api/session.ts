/** The user who is signed in, and their projects. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { call, setCsrfToken } from './client'
import { browserHasPasskeys } from './passkeys'

export type Role = 'viewer' | 'member' | 'owner'

export interface ProjectRef {
  id: string
  name: string
  role: Role
}

/** An identity provider. */
export interface ProviderRef {
  id: string
  name: string
}

export interface Session {
  csrf_token: string
  user: { id: string; name: string; email: string; is_operator: boolean } | null
  projects: ProjectRef[]
  /** Origins of pages that may use passkeys. */
  passkey_origins: string[]
  /** The service can send mail. */
  has_mail: boolean
  /** A person without an invitation can get an account by mail. */
  can_sign_up: boolean
  providers: ProviderRef[]
  console_url: string
  has_operator_pages: boolean
  /** The address of the operators' pages; null: this console has them, or the user is not an operator. */
  operator_console_url: string | null
  /** Address of the API. */
  base_url: string
}

export async function loadSession(): Promise<Session> {
  const session = await call<Session>('GET', '/session')
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
  call('POST', '/auth/sign-in/email', { email, password })

export const signOut = (): Promise<unknown> => call('POST', '/auth/sign-out', {})
