/** A way by which an agent uses its phone. This way sends requests to `/v1`. */
import {
  actionBatchResultSchema,
  observationSchema,
  type actionBatchSchema,
  type Observation,
} from '@phonerack/shared'
import { type z } from 'zod'
import { type Api } from '../system/api.js'

export type Action = z.input<typeof actionBatchSchema>['actions'][number]
/** The part of an observation that the tasks read. */
export type Screen = Pick<Observation, 'snapshot_id' | 'screen' | 'elements' | 'text'>

export interface Way {
  /** Runs a batch. Returns null when the answer has no screen. Throws with the failed action. */
  act(actions: readonly Action[], observe: 'ui' | 'none'): Promise<Screen | null>
  /** Reads the screen. `bounds`: the script needs the bounds of the elements in addition to their centers. */
  observe(bounds: boolean): Promise<Screen>
}

export function httpWay(api: Api, phoneId: string): Way {
  return {
    async act(actions, observe) {
      const answer = await api.post(`/v1/phones/${phoneId}/actions`, { actions, observe })
      if (answer.status !== 200) throw new Error(`actions: ${answer.status} ${JSON.stringify(answer.body)}`)
      const result = actionBatchResultSchema.parse(answer.body)
      checkResult(actions, result)
      return result.observation === undefined ? null : observationSchema.parse(result.observation)
    },
    async observe() {
      const answer = await api.get(`/v1/phones/${phoneId}/observe`)
      if (answer.status !== 200) throw new Error(`observe: ${answer.status} ${JSON.stringify(answer.body)}`)
      return observationSchema.parse(answer.body)
    },
  }
}

/** @throws when an action failed */
export function checkResult(
  actions: readonly Action[],
  { completed, results }: { completed: number; results: readonly { error?: unknown }[] },
): void {
  if (completed !== actions.length)
    throw new Error(`${JSON.stringify(actions[completed])}: ${JSON.stringify(results.at(-1)?.error)}`)
}
