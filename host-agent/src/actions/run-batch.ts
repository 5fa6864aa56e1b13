/** Runs a batch of actions on a phone, in order, up to the first failure. Used by `grpc/`. */
import {
  limits,
  type Action,
  type ActionResult,
  type Changes,
  type Clock,
  type Logger,
  type Observation,
  type ObserveMode,
  Progress,
  showsTypedText,
  waitsOnly,
  type ScreenshotObservation,
  type TextObservation,
} from '@phonerack/shared'
import { inPart } from '@phonerack/shared/tracing'
import type { Device } from '../adb/device/device.js'
import { logUnreadable } from '../adb/device/unreadable.js'
import { inParallel } from '../screen/in-parallel.js'
import type { Looks } from '../screen/looks.js'
import type { Snapshots } from '../screen/snapshots.js'
import { adviseWithObservation } from './advice.js'
import { observeAfter } from './observe-after.js'
import { relateCandidates } from './candidates.js'
import { createContext, type ActionContext } from './context.js'
import { createEffects } from './effects.js'
import { bugError, isCutOff, refusal, toApiError, unknownOutcome } from './failure.js'
import { guard } from './guard.js'
import { perform, touches } from './perform.js'
import { usesShell } from './shell.js'

export interface BatchRequest {
  device: Device
  /** The snapshots of this assignment: `store.of({phoneId, fencingNumber})`. */
  snapshots: Snapshots
  /** Shared by the batches of this assignment. */
  looks: Looks
  /** The actions, already validated. */
  actions: readonly Action[]
  observe: ObserveMode
  /**
   * The snapshot since which the outcome lists the changes. Null when the client has no snapshot. Default: the outcome
   * lists no changes.
   */
  changesSince?: string | null | undefined
  /**
   * The progress of the whole batch. When it is aborted, the running action ends, and its result says what is known.
   */
  progress: Progress
  clock: Clock
  /** Called before the first byte of the action can reach the phone. */
  onStarted: (index: number) => void
  /** Gets the result before its candidates are looked up in the batch's observation. */
  onFinished: (result: ActionResult) => void
  /** Logs the failures that the answer does not show. */
  log?: Logger | undefined
  /** Whether trees that were read before the batch, or by other looks, are not used again. Default: false. */
  fresh?: boolean | undefined
  /** Time on the clock of the looks at which no further action starts. Default: only the limit of the API applies. */
  startBefore?: number | undefined
  /** Whether actions that are left to a person are refused (`guard.ts`). Default: false. */
  guarded?: boolean | undefined
  /** Ends the batch before its next action, and a running wait immediately. */
  stop?: AbortSignal | undefined
}

export interface BatchOutcome {
  results: ActionResult[]
  /** Number of actions that succeeded. */
  completed: number
  /** Omitted when no observation was requested or the screen could not be read. */
  observation?: Observation | TextObservation | ScreenshotObservation
  /** Set with `changesSince`, unless the observation is the whole screen. */
  changes?: Changes
  /** Set with `observe: text`: the places of the elements that the text names (`BatchEnded.element_bounds`). */
  elementBounds?: Buffer
}

const reachLimitMs = 10_000

/** The text contains everything in `elements`. */
function textOf({ elements: _, screenshot: __, ...text }: Observation): TextObservation {
  return text
}

/**
 * Throws only until the phone's first answer: later failures are in the outcome.
 * @throws ApiError when nothing ran: phone_unavailable, provider_error
 */
export async function runBatch(request: BatchRequest): Promise<BatchOutcome> {
  request.device.motion?.act()
  try {
    return await run(request)
  } finally {
    request.device.motion?.act()
  }
}

async function run(request: BatchRequest): Promise<BatchOutcome> {
  const { actions, progress, device, looks, fresh = false } = request
  const { now } = looks
  const startedAt = now()
  const effects = createEffects(device, looks)
  const context = createContext({ ...request, effects, guard: request.guarded ? guard : null, fresh })
  await reach(context, actions)

  const results: ActionResult[] = []
  const startBefore = Math.min(startedAt + limits.actions.startWindow, request.startBefore ?? Infinity)
  for (const [index, action] of actions.entries()) {
    if (progress.expired || request.stop?.aborted || now() >= startBefore) break
    request.onStarted(index)
    effects.begins(index, action)
    const result = await runOne(
      index,
      action,
      waitsOnly(action) ? stoppable(context, request) : context,
      request.log,
    )
    results.push(result)
    request.onFinished(effects.added(result))
    if (!result.ok) break
  }

  const completed = results.filter((result) => result.ok).length
  const known = () => results.map((result) => effects.added(result))
  if (request.stop?.aborted) return { results: known(), completed }
  const seen = await observeAfter(request, context, completed < actions.length)
  if (!seen) return { results: known(), completed }
  const { observation } = seen
  if (!('elements' in observation))
    return { results: known().map(adviseWithObservation), completed, observation }
  const related = relateCandidates(known(), observation).map(adviseWithObservation)
  const changes = 'changes' in seen ? { changes: seen.changes } : {}
  const outcome = { results: related, completed, ...changes }
  if (request.observe !== 'text') return { ...outcome, observation }
  return { ...outcome, observation: textOf(observation), elementBounds: boundsOf(observation) }
}

/** See `BatchEnded.element_bounds`. */
const flags = { isDescription: 1, isTyped: 2 } as const

function boundsOf({ elements }: Observation): Buffer {
  const numbers = elements.flatMap((element) => [
    ...element.bounds,
    (element.text === null && element.desc !== null ? flags.isDescription : 0) +
      (showsTypedText(element) ? flags.isTyped : 0),
  ])
  const bytes = Buffer.alloc(4 * numbers.length)
  numbers.forEach((number, index) => bytes.writeInt32LE(number, 4 * index))
  return bytes
}

/** Returns the context of a wait, which writes nothing, so that `stop` can end it. */
const stoppable = (context: ActionContext, { stop, progress }: BatchRequest): ActionContext =>
  stop ? { ...context, progress: Progress.for(progress.remaining, progress.signal, stop) } : context

/**
 * Checks that the phone allows the batch's shell commands. Then reads the screen's size, which is cheap and detects an
 * unreachable phone before anything is sent, and whether the screen is on, for the first touch.
 */
async function reach(context: ActionContext, actions: readonly Action[]): Promise<void> {
  try {
    const within = context.progress.within(reachLimitMs)
    if (usesShell(actions)) await context.device.shell.admit(within)
    // Shell commands also run on a phone whose screen cannot be read.
    if (actions.every(({ type }) => type === 'shell')) return
    await inParallel(
      () => context.size(within),
      () => (actions.some(touches) ? context.readScreenOn() : Promise.resolve(true)),
    )
  } catch (error) {
    throw refusal(error)
  }
}

async function runOne(
  index: number,
  action: Action,
  context: ActionContext,
  log: Logger | undefined,
): Promise<ActionResult> {
  const startedAt = context.now()
  context.wrote = false
  context.takeHit()
  const entry = { index, type: action.type }
  const ms = (): number => Math.max(0, Math.round(context.now() - startedAt))
  try {
    const attributes = () => ({ 'phonerack.action.index': index })
    const outcome = await inPart(`action ${action.type}`, attributes, () => perform(action, context))
    return { ...entry, ok: true, ms: ms(), ...outcome, ...context.takeHit() }
  } catch (error) {
    logUnreadable(error, log)
    const known = toApiError(error, context.wrote)
    // A park, a delete or a timeout aborted the batch during the action: its outcome is
    // unknown.
    if (context.progress.signal.aborted && isCutOff(known))
      return { ...entry, ok: false, ms: ms(), error: unknownOutcome(error).toPlain() }
    if (!known)
      log?.error({ err: error, index, type: action.type }, 'an action failed because of a bug in the agent')
    return { ...entry, ok: false, ms: ms(), error: known?.toPlain() ?? bugError() }
  }
}
