/** Requests of OAuth clients for access to a project. */
import { call } from './client'
import { type Preset, type Profile } from './projects'

/** A client's request. Its texts are hostile. */
export interface AskingClient {
  client: {
    name: string
    id: string
    /** The host that publishes the client's metadata; null: no host vouches for the client. */
    host: string | null
  }
  redirect: { host: string; is_this_machine: boolean }
  /** The rights to propose. */
  preset: Preset
  /** The scopes that the client asked for; it gets no others. Empty: the client named no scopes. */
  scopes: readonly Scope[]
}

export interface Rights {
  preset: Preset
  profile: Profile
  phones?: string[]
}

export type Scope = 'phones:read' | 'phones:control' | 'phones:create' | 'phones:delete'

interface Answer {
  redirect_to: string
}

export const lookAtClient = (query: string) => call<AskingClient>('POST', '/connectors/look', { query })
export const denyClient = (query: string) => call<Answer>('POST', '/connectors/deny', { query })
export const allowClient = (project: string, query: string, rights: Rights) =>
  call<Answer>('POST', `/projects/${encodeURIComponent(project)}/connectors`, { query, ...rights })

/** The query of a request that the control plane has packed. Empty: the packed text is not valid. */
export function unpack(packed: string): string {
  if (!packed.startsWith('q_')) return ''
  try {
    return atob(packed.slice(2).replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return ''
  }
}

/** Opens the client's address. Only web addresses are allowed, because other schemes could run code in the console. */
export function leaveFor(address: string): void {
  if (/^https?:$/.test(new URL(address).protocol)) window.location.assign(address)
}
