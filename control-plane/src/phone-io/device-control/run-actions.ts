/** Runs a batch on the agent, once, and follows its stream until it ends or is lost. */
import { type ClientReadableStream, Metadata } from '@grpc/grpc-js'
import { ObserveMode as ProtoObserveMode, type BatchEnded, type RunActionsResponse } from '@phonerack/proto'
import { ApiError, limits, Progress, type ActionResult, type Action } from '@phonerack/shared'
import { readJson } from '../../links/host-calls/answers/fields.js'
import { CallFailure, requireConnection, toFailure } from '../../links/host-calls/calls.js'
import { countOk, resultsOfLostBatch, type BatchKnown } from './batch.js'
import { assignmentOf } from '../../rental/devices/placement.js'
import { handoffRequired } from '../../rental/phones/left-to-person.js'
import { phoneUnavailable, type Target } from '../../rental/phones/target.js'
import { type CallContext } from '../../base/core/caller.js'
import { ServerStopping } from '../../base/core/server-stopping.js'
import { markedWhole, type HostMode } from '../steps/host-mode.js'
import { type Batch } from './types.js'

const modes: Record<HostMode, ProtoObserveMode> = {
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
  /** The snapshot of the client; empty: the client has no snapshot. Undefined: the client requested no changes. */
  since: string | undefined
}

/** Responses as UTF-8 JSON. */
export interface HostAnswer {
  /** The answer with the observation of the mode for the host. */
  json: Uint8Array
  /** The answer with changes. Null: the observation is whole or missing, or the client requested no changes. */
  withChanges: Uint8Array | null
}

export async function runBatch(
  phoneId: string,
  target: Target,
  batch: Batch & { observe: HostMode },
  context: BatchContext,
): Promise<HostAnswer> {
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
    changesSince: context.since,
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
    return await follow(stream, known, { ...context, count: batch.actions.length, phoneId })
  } catch (error) {
    return { json: onLost(batch.actions, known, toFailure(error)), withChanges: null }
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
  of: Pick<BatchContext, 'onBounds' | 'since'> & { count: number; phoneId: string },
): Promise<HostAnswer> {
  const { count } = of
  let startedAt = performance.now()
  let unknown = 0
  /** Returns the response once the agent has sent it. */
  const take = ({ event }: RunActionsResponse): HostAnswer | null => {
    const next = known.results.length
    if (event?.$case === 'started') {
      if (event.value.index !== next || next >= count || known.started === next) throw outOfOrder()
      known.started = next
      startedAt = performance.now()
    } else if (event?.$case === 'finished') {
      if (event.value.index !== next || next >= count) throw outOfOrder()
      known.results.push(readJson(event.value.resultJson))
    } else if (event?.$case === 'ended') {
      if (event.value.elementBounds) of.onBounds?.(event.value.elementBounds)
      return answer(event.value, of)
    } else if ((unknown += 1) > maxUnknown) throw outOfOrder()
    return null
  }
  const outcome = await new Promise<() => HostAnswer>((resolve) => {
    const end = (result: () => HostAnswer): void => {
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
function answer(
  { resultsJson, observationJson, changesJson }: BatchEnded,
  { count, phoneId, since }: Pick<BatchContext, 'since'> & { count: number; phoneId: string },
): HostAnswer {
  const results = readJson(resultsJson) as Partial<ActionResult>[]
  if (results.length > count) throw outOfOrder()
  // When the first action is left to a person, the batch did nothing.
  const refused = results[0]?.error
  if (refused?.code === 'handoff_required') throw handoffRequired(phoneId, refused.details, refused.message)
  const head = `{"results":${resultsJson.toString('utf8')},"completed":${countOk(results)}`
  const withObservation = (json: Uint8Array): Uint8Array =>
    Buffer.concat([Buffer.from(`${head},"observation":`), json, Buffer.from('}')])
  if (observationJson.length === 0) return { json: Buffer.from(`${head}}`), withChanges: null }
  const isMarked = since === undefined || changesJson !== undefined
  const seen = isMarked ? observationJson : markedWhole(observationJson, since || null)
  return { json: withObservation(seen), withChanges: changesJson ? withObservation(changesJson) : null }
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
