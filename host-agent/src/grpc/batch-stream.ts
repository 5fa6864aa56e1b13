/** A batch's events as messages of the stream, at the moment they happen. */
import type { RunActionsResponse } from '@phonerack/proto'
import type { ActionResult } from '@phonerack/shared'

export const sendBatch = (send: (message: RunActionsResponse) => void) => ({
  onStarted: (index: number): void => send({ event: { $case: 'started', value: { index } } }),
  onFinished: (result: ActionResult): void =>
    send({
      event: {
        $case: 'finished',
        value: { index: result.index, resultJson: Buffer.from(JSON.stringify(result)) },
      },
    }),
})
