/** Calls that read the screen and run actions on it. */
import { type ServerWritableStream } from '@grpc/grpc-js'
import {
  ThumbnailAbsence,
  type HostServiceServer,
  type RunActionsRequest,
  type RunActionsResponse,
  type ThumbnailRequest,
  type ThumbnailResponse,
} from '@phonerack/proto'
import { type Observation } from '@phonerack/shared'
import { z } from 'zod'
import { answer, toServiceError } from './answers.js'
import { type Inside } from './inside.js'
import { type Batch } from './types.js'

export const screenCalls = (
  agent: Inside,
): Pick<HostServiceServer, 'observe' | 'screenshot' | 'thumbnail' | 'runActions' | 'runGuardedActions'> => ({
  observe: (call, callback) =>
    answer(callback, async () => {
      agent.take(call.request.assignment, 'hold')
      await agent.onCall('observe')
      return { observationJson: observationJson(), snapshotId: 'snp_aaaaaaaaaaaa', text: 'app x' }
    }),
  screenshot: (call, callback) =>
    answer(callback, async () => {
      agent.take(call.request.assignment, 'hold')
      await agent.onCall('screenshot')
      return {
        image: Buffer.from([1, 2, 3]),
        screenWidth: 10,
        screenHeight: 20,
        scale: 1,
        secure: false,
        snapshotId: '',
        ...agent.picture,
      }
    }),
  thumbnail: (call, callback) =>
    answer(callback, async () => {
      const cancelling = new AbortController()
      const isLate = (): boolean => Date.now() >= Number(call.getDeadline())
      call.on('cancelled', () => {
        if (!isLate()) cancelling.abort()
      })
      await agent.beginCall('thumbnail', call.request.assignment)
      return agent.onThumbnail(call.request, cancelling.signal)
    }),
  runActions: (call) => run(agent, call, agent.onBatch),
  runGuardedActions: (call) => run(agent, call, agent.onGuardedBatch),
})

function run(
  agent: Inside,
  call: ServerWritableStream<RunActionsRequest, RunActionsResponse>,
  batch: Batch,
): void {
  const work = async (): Promise<void> => {
    agent.take(call.request.assignment, 'hold')
    await batch(call.request, (event) => void call.write({ event }))
    call.end()
  }
  work().catch((error: unknown) => call.emit('error', toServiceError(error)))
}

const shellResult = {
  stdout: 'uid=2000(shell)\n',
  stderr: '',
  exit_code: 0,
  timed_out: false,
  truncated: false,
  duration_ms: 1,
}

/** Responds that every action of the batch succeeded. */
export const completeBatch: Batch = (request, send) => {
  const actions = z.array(z.object({ type: z.string() })).parse(JSON.parse(request.actionsJson.toString()))
  const results = actions.map(({ type }, index) => ({
    index,
    type,
    ok: true,
    ms: 1,
    ...(type === 'shell' ? shellResult : {}),
  }))
  for (const [index, result] of results.entries()) {
    send({ $case: 'started', value: { index } })
    send({ $case: 'finished', value: { index, resultJson: Buffer.from(JSON.stringify(result)) } })
  }
  const resultsJson = Buffer.from(JSON.stringify(results))
  send({ $case: 'ended', value: { observationJson: observationJson(), resultsJson } })
  return Promise.resolve()
}

/** The picture of every screenshot. */
export const oneThumbnail = ({ knownTag }: ThumbnailRequest): ThumbnailResponse => ({
  image: Buffer.from(knownTag === 'tag-1' ? '' : 'a picture'),
  tag: 'tag-1',
  absence: ThumbnailAbsence.THUMBNAIL_ABSENCE_UNSPECIFIED,
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
