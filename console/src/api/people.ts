/** Members, invitations, and a user's own sign-ins. */
import { call } from './client'
import { createPasskey } from './passkeys'
import { type Role } from './session'

export interface Member {
  user_id: string
  name: string
  email: string
  role: Role
  since: string
}

export interface Invitation {
  id: string
  role: Role
  email: string
  expires_at: string
}

const of = (project: string): string => `/projects/${encodeURIComponent(project)}`

export const listMembers = (project: string) =>
  call<{ data: Member[]; invitations: Invitation[] }>('GET', `${of(project)}/members`)
export const changeRole = (project: string, user: string, role: Role) =>
  call('PATCH', `${of(project)}/members/${encodeURIComponent(user)}`, { role })
export const removeMember = (project: string, user: string) =>
  call('DELETE', `${of(project)}/members/${encodeURIComponent(user)}`)
/** `url`: the link, which is never shown again; null: the link was mailed to the person. */
export const invite = (project: string, email: string, role: Role) =>
  call<Invitation & { url: string | null }>('POST', `${of(project)}/invitations`, { email, role })
export const withdrawInvitation = (project: string, id: string) =>
  call('DELETE', `${of(project)}/invitations/${encodeURIComponent(id)}`)

export interface OpenInvitation {
  role: Role | 'operator' | 'reset' | 'sign_up'
  email: string | null
  project: { id: string; name: string } | null
}

export const lookAtInvitation = (token: string) =>
  call<OpenInvitation>('POST', '/invitations/look', { token })

export interface NewPerson {
  name: string
  email: string
}

/** @param user left out: the signed-in user accepts the invitation */
export const acceptInvitation = (token: string, user?: NewPerson & { password: string }) =>
  call('POST', '/invitations/accept', user ? { token, user } : { token })

/** Creates the account together with its first passkey. @throws PasskeyDeclined, RequestFailed */
export async function acceptWithPasskey(token: string, user: NewPerson): Promise<void> {
  const { handle, options } = await call<{ handle: string; options: PublicKeyCredentialCreationOptionsJSON }>(
    'POST',
    '/invitations/passkey',
    { token, user },
  )
  const passkey = { handle, response: await createPasskey(options) }
  await call('POST', '/invitations/accept', { token, user: { ...user, passkey } })
}

/** The response does not reveal whether the address has an account. */
export const requestReset = (email: string) => call('POST', '/resets', { email })
export const acceptReset = (token: string, password: string) =>
  call('POST', '/resets/accept', { token, password })
/** Ends the user's other sign-ins. */
export const changePassword = (password: string) => call('POST', '/me/password', { password })

export interface SignIn {
  id: string
  is_current: boolean
  address: string | null
  user_agent: string | null
  signed_in_at: string
}

export const listSignIns = () => call<{ data: SignIn[] }>('GET', '/me/sessions')
export const endSignIn = (id: string) => call('DELETE', `/me/sessions/${encodeURIComponent(id)}`)
