import {
  type Action,
  type ActionResult,
  type Observation,
  type ObserveMode,
  type TextObservation,
} from '@phonerack/shared'
import { type Readable } from 'node:stream'
import { type Caller, type Page, type PageQuery } from '../../base/core/caller.js'

/**
 * `running`: the step has no outcome yet. `stopped`: the step's time ended before its last action, or it has
 * no results, like touches of a person. `unknown`: the number of actions that ran is unknown.
 */
export const stepStatuses = ['running', 'succeeded', 'failed', 'stopped', 'unknown'] as const
export type StepStatus = (typeof stepStatuses)[number]

export const stepWays = ['api', 'mcp', 'live'] as const
export type StepWay = (typeof stepWays)[number]

/** The picture of a step. */
export interface StepPicture {
  format: 'jpeg' | 'png'
  width: number
  height: number
  /** Image width divided by screen width. */
  scale: number
  sizeBytes: number
}

export interface StepView {
  id: string
  phone: string
  session: string
  requestId: string
  status: StepStatus
  startedAt: Date
  endedAt: Date | null
  by: { via: StepWay; client: string | null; keyId: string; keyName: string | null }
  /** Null: touches of a person. */
  observe: ObserveMode | null
  actions: Action[]
  results: ActionResult[]
  completed: number
  /** Why the batch has no results; null: it has results. */
  error: { code: string; message: string } | null
  textKept: boolean
  before: Observation | null
  /** When `before` was read; null: the step has no `before`. */
  beforeAt: Date | null
  after: Observation | null
  picture: StepPicture | null
  expiresAt: Date
}

/** How much of the screens is returned: all, without the elements, or nothing. */
export const screenParts = ['full', 'text', 'none'] as const
export type ScreenPart = (typeof screenParts)[number]

export interface StepJson {
  object: 'step'
  id: string
  phone: string
  session: string
  request_id: string
  status: string
  started_at: string
  ended_at: string | null
  /** Milliseconds. */
  duration_ms: number | null
  by: { via: string; client: string | null; key_id: string; key_name: string | null }
  observe: ObserveMode | null
  actions: ({ type: string } & Record<string, unknown>)[]
  results: ActionResult[]
  completed: number
  error: { code: string; message: string } | null
  text_kept: boolean
  before: Observation | TextObservation | null
  after: Observation | TextObservation | null
  picture: { format: 'jpeg' | 'png'; width: number; height: number; scale: number; size_bytes: number } | null
  expires_at: string
}

export const exportForms = ['html', 'jsonl', 'ts', 'python'] as const
export type ExportForm = (typeof exportForms)[number]

interface StepExport {
  /** UTF-8, oldest step first. */
  chunks: AsyncIterable<string>
  sessionId: string
}

/** Steps stay readable in every status of their phone. @throws ApiError phone_not_found, phone_not_allowed, step_not_found */
export interface StepService {
  /** Newest first. A page ends early when its screens are large. @param sessionId null: every session */
  list(
    caller: Caller,
    phoneId: string,
    sessionId: string | null,
    query: PageQuery & { part: ScreenPart },
  ): Promise<Page<StepJson>>
  get(caller: Caller, phoneId: string, id: string, part: ScreenPart): Promise<StepJson>
  picture(caller: Caller, phoneId: string, id: string): Promise<{ stream: Readable; picture: StepPicture }>
  /** @param sessionId null: the last session with steps */
  export(caller: Caller, phoneId: string, sessionId: string | null, form: ExportForm): Promise<StepExport>
}
