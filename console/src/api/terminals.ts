/** Terminals that wait for their first key. */
import { call } from './client'
import { type NewKey } from './projects'

export interface WaitingTerminal {
  client: string | null
  address: string
  created_at: string
  expires_at: string
}

export const lookAtTerminal = (code: string) =>
  call<WaitingTerminal>('POST', '/terminals/look', { user_code: code })
export const denyTerminal = (code: string) => call('POST', '/terminals/deny', { user_code: code })
export const allowTerminal = (project: string, code: string, rights: Omit<NewKey, 'name'>) =>
  call('POST', `/projects/${encodeURIComponent(project)}/terminals/allow`, { user_code: code, ...rights })
