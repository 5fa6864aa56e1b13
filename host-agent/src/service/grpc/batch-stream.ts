/** Sends a batch's events as messages of the stream as they occur. */
import type { RunActionsResponse } from '@phonerack/proto'
import type { ActionResult } from '@phonerack/shared'

export const sendBatch = (phoneId: string, send: (message: RunActionsResponse) => void) => ({
  onStarted: (index: number): void => send({ event: { $case: 'started', value: { index } } }),
  onFinished: (result: ActionResult): void =>
    send({
      event: { $case: 'finished', value: { index: result.index, resultJson: resultJson(phoneId, result) } },
    }),
})

/** Returns the public form of results as UTF-8 JSON. Requests in `next` name this phone. */
export const resultJson = (phoneId: string, results: ActionResult | readonly ActionResult[]): Buffer =>
  Buffer.from(
    JSON.stringify(results, (key, value: unknown) =>
      key === 'next' && typeof value === 'string' ? value.replaceAll('{id}', phoneId) : value,
    ),
  )
