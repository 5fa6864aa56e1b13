/** Runs a batch on the agent, once, and follows its stream until it ends or is lost. */
import { type ClientReadableStream, Metadata } from '@grpc/grpc-js'
import { ObserveMode as ProtoObserveMode, type RunActionsResponse } from '@phonerack/proto'
import {
  ApiError,
  limits,
  Progress,
  type ActionResult,
  type Action,
  type ObserveMode,
} from '@phonerack/shared'
import { readJson } from '../../links/host-calls/answers/fields.js'
import { CallFailure, requireConnection, toFailure } from '../../links/host-calls/calls.js'
import { countOk, resultsOfLostBatch, type BatchKnown } from './batch.js'
import { assignmentOf } from '../../rental/devices/placement.js'
import { handoffRequired } from '../../rental/phones/left-to-person.js'
import { phoneUnavailable, type Target } from '../../rental/phones/target.js'
import { type CallContext } from '../../base/core/caller.js'
import { ServerStopping } from '../../base/core/server-stopping.js'
import { type Batch } from './types.js'

const modes: Record<ObserveMode, ProtoObserveMode> = {
  none: ProtoObserveMode.OBSERVE_MODE_NONE,
  ui: ProtoObserveMode.OBSERVE_MODE_UI,
  screenshot: ProtoObserveMode.OBSERVE_MODE_SCREENSHOT,
  both: ProtoObserveMode.OBSERVE_MODE_BOTH,
  text: ProtoObserveMode.OBSERVE_MODE_TEXT,
}

interface BatchContext extends CallContext {
  /** Whether actions that are left to a person are refused. */
  isGuarded: boolean
  /** Called with the bounds of the elements in a text observation (`BatchEnded.element_bounds`). */
  onBounds: ((bounds: Uint8Array) => void) | undefined
}

/** Returns the batch's response as UTF-8 JSON. */
export async function runBatch(
  phoneId: string,
  target: Target,
  batch: Batch,
  context: BatchContext,
): Promise<Uint8Array> {
  // A client that disconnects does not stop a batch that was sent, unless its limits say so.
  const { signal, batch: own } = context
  const progress = Progress.for(limits.actions.total)
  const { connection } = target
  try {
    await requireConnection(connection, progress)
  } catch (error) {
    if (error instanceof CallFailure) throw phoneUnavailable(phoneId)
    throw error
  }
  const request = {
    assignment: assignmentOf(phoneId, target, context.requestId),
    actionsJson: Buffer.from(JSON.stringify(batch.actions)),
    observe: modes[batch.observe],
    startWithinMs: own?.startWithinMs ?? 0,
    stopBetweenActions: own !== undefined,
    fresh: batch.fresh ?? false,
  }
  const options = { deadline: Date.now() + progress.remaining }
  const stream = context.isGuarded
    ? connection.client.runGuardedActions(request, new Metadata(), options)
    : connection.client.runActions(request, new Metadata(), options)
  const known: BatchKnown = { results: [], started: -1, sinceStartMs: 0 }
  // The client gets the known results before the stopping server closes the connection.
  const onAbort = (): void => {
    if (own || signal.reason instanceof ServerStopping) stream.cancel()
  }
  const late = own ? setTimeout(() => stream.cancel(), own.answerWithinMs) : undefined
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  try {
    return await follow(stream, known, { count: batch.actions.length, phoneId, onBounds: context.onBounds })
  } catch (error) {
    return onLost(batch.actions, known, toFailure(error))
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', onAbort)
    stream.cancel()
  }
}

/** Limit of unknown messages in a stream, which a newer agent may send. */
const maxUnknown = 100

const outOfOrder = (): CallFailure =>
  CallFailure.hostFault('the host reported the actions of a batch in an impossible order')

/**
 * Reads the stream into `known` and resolves with the response when the agent ends the stream. Reads by events, because
 * an asynchronous iterator creates six more promises for each of the two messages of an action. @param count the number
 * of actions @throws CallFailure, ServiceError; ApiError handoff_required if the first action is left to a person
 */
async function follow(
  stream: ClientReadableStream<RunActionsResponse>,
  known: BatchKnown,
  { count, phoneId, onBounds }: { count: number; phoneId: string; onBounds: BatchContext['onBounds'] },
): Promise<Uint8Array> {
  let startedAt = performance.now()
  let unknown = 0
  /** Returns the response once the agent has sent it. */
  const take = ({ event }: RunActionsResponse): Uint8Array | null => {
    const next = known.results.length
    if (event?.$case === 'started') {
      if (event.value.index !== next || next >= count || known.started === next) throw outOfOrder()
      known.started = next
      startedAt = performance.now()
    } else if (event?.$case === 'finished') {
      if (event.value.index !== next || next >= count) throw outOfOrder()
      known.results.push(readJson(event.value.resultJson))
    } else if (event?.$case === 'ended') {
      if (event.value.elementBounds) onBounds?.(event.value.elementBounds)
      return answer(event.value.resultsJson, event.value.observationJson, count, phoneId)
    } else if ((unknown += 1) > maxUnknown) throw outOfOrder()
    return null
  }
  const outcome = await new Promise<() => Uint8Array>((resolve) => {
    const end = (result: () => Uint8Array): void => {
      stream.off('data', onData)
      known.sinceStartMs = performance.now() - startedAt
      resolve(result)
    }
    const fail = (error: unknown): void =>
      end(() => {
        throw error
      })
    const onData = (message: RunActionsResponse): void => {
      try {
        const response = take(message)
        if (response) end(() => response)
      } catch (error) {
        fail(error)
      }
    }
    stream.on('data', onData)
    stream.on('end', () => fail(CallFailure.hostFault('the host ended a batch without results')))
    stream.on('error', (error) => {
      // The status can arrive while messages wait in the stream. Each read emits its message.
      while (stream.readableLength > 0) stream.read()
      fail(error)
    })
  })
  return outcome()
}

/**
 * Assembles the agent's JSON without parsing the observation, which was validated when it was
 * decoded.
 */
function answer(resultsJson: Buffer, observationJson: Buffer, count: number, phoneId: string): Uint8Array {
  const results = readJson(resultsJson) as Partial<ActionResult>[]
  if (results.length > count) throw outOfOrder()
  // When the first action is left to a person, the batch did nothing.
  const refused = results[0]?.error
  if (refused?.code === 'handoff_required') throw handoffRequired(phoneId, refused.details, refused.message)
  const head = `{"results":${resultsJson.toString('utf8')},"completed":${countOk(results)}`
  const parts: Uint8Array[] = [Buffer.from(head)]
  if (observationJson.length > 0) parts.push(Buffer.from(',"observation":'), observationJson)
  return Buffer.concat([...parts, Buffer.from('}')])
}

function onLost(actions: readonly Action[], known: BatchKnown, failure: CallFailure): Uint8Array {
  const nothingKnown = known.started < 0 && known.results.length === 0
  // The agent refused before the first action: nothing ran.
  if (nothingKnown && failure.answer && failure.answer.code !== 'action_outcome_unknown') throw failure.answer
  const results = resultsOfLostBatch(actions, known)
  if (results === null) {
    throw new ApiError('internal_error', {
      message: 'The connection to the phone was lost. Some actions of the batch may have run.',
      next: 'Observe the screen before acting again.',
      cause: failure,
    })
  }
  return Buffer.from(JSON.stringify({ results, completed: countOk(results) }))
}
