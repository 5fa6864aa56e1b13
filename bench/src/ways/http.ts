/** Plain HTTP: batches, with the text form of the screen in each answer. */
import { actionBatchResultSchema, observationSchema } from '@phonerack/shared'
import { z } from 'zod'
import { type Answer, type Api } from '@phonerack/e2e/system/api.js'
import { checkResult } from '@phonerack/e2e/tasks/way.js'
import { byteLength, Count, type CountedWay } from './counted.js'
import { screenIn } from './text-screen.js'

/** With `observe: "text"`, an observation has no elements. */
export const textResultSchema = actionBatchResultSchema
  .omit({ observation: true })
  .extend({ observation: z.object({ snapshot_id: z.string(), text: z.string() }).optional() })

export function countedHttp(api: Api, phoneId: string): CountedWay {
  const count = new Count()
  const bodyOf = (answer: Answer, sent: string): unknown => {
    const received = answer.bytes.toString('utf8')
    count.add(byteLength(sent) + answer.bytes.length, sent, received)
    if (answer.status !== 200) throw new Error(`${answer.status} ${received}`)
    return answer.body
  }
  return {
    count,
    async act(actions, observe) {
      const body = { actions, observe: observe === 'ui' ? 'text' : observe }
      const answer = await api.post(`/v1/phones/${phoneId}/actions`, body)
      const result = textResultSchema.parse(bodyOf(answer, JSON.stringify(body)))
      checkResult(actions, result)
      return result.observation ? screenIn(result.observation.text, result.observation.snapshot_id) : null
    },
    async observe(bounds) {
      const path = `/v1/phones/${phoneId}/observe${bounds ? '' : '?format=text'}`
      const answer = await api.get(path)
      const body = bodyOf(answer, path)
      if (bounds) return observationSchema.parse(body)
      return screenIn(z.string().parse(body), answer.headers.get('x-snapshot-id') ?? '')
    },
    stop: () => Promise.resolve(),
  }
}
