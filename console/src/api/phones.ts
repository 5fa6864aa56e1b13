/** One phone: its live view, hand-overs, sessions, and the steps of agents. */
import { call } from './client'
import { type Phone } from './projects'

export const phonePath = (project: string, phone: string): string =>
  `/projects/${encodeURIComponent(project)}/phones/${encodeURIComponent(phone)}`

export const getPhone = (project: string, phone: string) => call<Phone>('GET', phonePath(project, phone))

/** `control`: the link accepts input. */
export interface LiveLink {
  url: string
  expires_at: string
  control: boolean
}

export const openLive = (project: string, phone: string) =>
  call<LiveLink>('POST', `${phonePath(project, phone)}/live`, {})

/** A hand-over that is in progress. */
export interface Control {
  id: string
  status: 'open' | 'taken'
  /** The request of an agent. Null: a member took over without being asked, or the user is a viewer. */
  message: string | null
  /** The member who took over without being asked. */
  by: string | null
  is_you: boolean
  expires_at: string
}

export interface Controlled {
  control: Control | null
}

export const getControl = (project: string, phone: string) =>
  call<Controlled>('GET', `${phonePath(project, phone)}/control`)
export const takeOver = (project: string, phone: string) =>
  call<Controlled>('POST', `${phonePath(project, phone)}/control`, {})
export const handBack = (project: string, phone: string, id: string, note: string) =>
  call<Controlled>('POST', `${phonePath(project, phone)}/control/${encodeURIComponent(id)}/end`, { note })

export interface PhoneSession {
  id: string
  started_at: string
  ended_at: string | null
  end_reason: string | null
  billed_seconds: number | null
  cost_usd: string | null
  reserved_usd: string
}

export const listSessions = (project: string, phone: string) =>
  call<{ data: PhoneSession[] }>('GET', `${phonePath(project, phone)}/sessions`)

export type Action = { type: string } & Record<string, unknown>

export interface Step {
  id: string
  status: 'running' | 'succeeded' | 'failed' | 'stopped' | 'unknown'
  started_at: string
  duration_ms: number | null
  by: { via: string; client: string | null; key_name: string | null }
  actions: Action[]
  results: { ok: boolean; error?: { code: string; message: string } }[]
  error: { code: string; message: string } | null
  /** Present only when one step is read. */
  after: { text?: string } | null
  picture: { width: number; height: number } | null
}

export interface StepPage {
  data: Step[]
  next_cursor: string | null
}

export const listSteps = (project: string, phone: string, cursor: string | null) =>
  call<StepPage>(
    'GET',
    `${phonePath(project, phone)}/steps${cursor === null ? '' : `?${new URLSearchParams({ cursor }).toString()}`}`,
  )
export const getStep = (project: string, phone: string, step: string) =>
  call<Step>('GET', `${phonePath(project, phone)}/steps/${encodeURIComponent(step)}`)
export const pictureOf = (project: string, phone: string, step: string): string =>
  `/console/api${phonePath(project, phone)}/steps/${encodeURIComponent(step)}/picture`
