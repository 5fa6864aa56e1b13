/** Steps as clients get them, in pages and in exports. Pure. */
import { type Observation } from '@phonerack/shared'
import { type StepPicture, type StepView } from './types.js'

/** How much of the screens: all, without the elements, or nothing. */
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
  observe: string | null
  actions: unknown[]
  results: unknown[]
  completed: number
  error: { code: string; message: string } | null
  text_kept: boolean
  before: object | null
  after: object | null
  picture: ReturnType<typeof pictureJson> | null
  expires_at: string
}

export const pictureJson = ({ format, width, height, scale, sizeBytes }: StepPicture) => ({
  ...{ format, width, height, scale },
  size_bytes: sizeBytes,
})

export const stepJson = (step: StepView, part: ScreenPart = 'full'): StepJson => ({
  object: 'step',
  id: step.id,
  phone: step.phone,
  session: step.session,
  request_id: step.requestId,
  status: step.status,
  started_at: step.startedAt.toISOString(),
  ended_at: step.endedAt?.toISOString() ?? null,
  duration_ms: step.endedAt && Math.max(0, step.endedAt.getTime() - step.startedAt.getTime()),
  by: {
    via: step.by.via,
    client: step.by.client,
    key_id: step.by.keyId,
    key_name: step.by.keyName,
  },
  observe: step.observe,
  actions: step.actions,
  results: step.results,
  completed: step.completed,
  error: step.error,
  text_kept: step.textKept,
  before: partOf(step.before, part),
  after: partOf(step.after, part),
  picture: step.picture && pictureJson(step.picture),
  expires_at: step.expiresAt.toISOString(),
})

function partOf(screen: Observation | null, part: ScreenPart): object | null {
  if (screen === null || part === 'none') return null
  if (part === 'full') return screen
  const { elements: _, ...text } = screen
  return text
}
