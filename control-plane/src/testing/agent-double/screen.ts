/** Calls that read the screen and act on it. */
import { type HostServiceServer } from '@phonerack/proto'
import { type Observation } from '@phonerack/shared'
import { answer, toServiceError } from './answers.js'
import { type Inside } from './inside.js'

export const screenCalls = (
  agent: Inside,
): Pick<HostServiceServer, 'observe' | 'screenshot' | 'runActions'> => ({
  observe: (call, callback) =>
    answer(callback, () => {
      agent.take(call.request.assignment, 'hold')
      const snapshotId = 'snp_aaaaaaaaaaaa'
      return Promise.resolve({
        observationJson: observationJson(),
        snapshotId,
        text: 'app x',
      })
    }),
  screenshot: (call, callback) =>
    answer(callback, () => {
      agent.take(call.request.assignment, 'hold')
      return Promise.resolve({
        image: Buffer.from([1, 2, 3]),
        screenWidth: 10,
        screenHeight: 20,
        scale: 1,
        secure: false,
        snapshotId: '',
        ...agent.picture,
      })
    }),
  runActions: (call) => {
    const run = async (): Promise<void> => {
      agent.take(call.request.assignment, 'hold')
      await agent.onBatch(call.request, (event) => void call.write({ event }))
      call.end()
    }
    run().catch((error: unknown) => call.emit('error', toServiceError(error)))
  },
})

/** An observation of an empty screen. */
export const observationJson = (): Buffer =>
  Buffer.from(
    JSON.stringify({
      snapshot_id: 'snp_aaaaaaaaaaaa',
      taken_at: new Date().toISOString(),
      app: { package: 'x', activity: null },
      keyboard: { visible: false, focused_editable: false },
      screen: { width: 10, height: 20 },
      elements: [],
      truncated: false,
      text: 'app x',
    } satisfies Observation),
  )
