/** Converts steps to the JSON that clients get, in pages and in exports. Pure. */
import { type Observation, type TextObservation } from '@phonerack/shared'
import { type ScreenPart, type StepJson, type StepPicture, type StepView } from './types.js'

const pictureJson = ({ sizeBytes, ...picture }: StepPicture): StepJson['picture'] => ({
  ...picture,
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
  by: { via: step.by.via, client: step.by.client, key_id: step.by.keyId, key_name: step.by.keyName },
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

const textOf = ({ elements: _, ...text }: Observation): TextObservation => text

function partOf(screen: Observation | null, part: ScreenPart): StepJson['after'] {
  if (screen === null || part === 'none') return null
  return part === 'full' ? screen : textOf(screen)
}
