/** The actions `wait_for` and `wait_idle`, which only read. */
import { ApiError, type ActionOf } from '@phonerack/shared'
import type { ScreenTree } from '../screen/elements.js'
import { ScreenXmlError } from '../screen/errors.js'
import { advice } from './advice.js'
import { TargetMiss, type ActionContext } from './context.js'
import { missError } from './failure.js'
import { signatureOf } from '../screen/signature.js'
import type { Match } from './target.js'

const betweenLooksMs = 250
const idleGapMs = 200

/** Reads at least once, however short the timeout: one read on a slow phone can take longer. */
export async function waitFor(action: ActionOf<'wait_for'>, context: ActionContext): Promise<void> {
  const until = context.now() + action.timeout_ms
  let tree = await readable(() => context.currentTree())
  for (;;) {
    // Null when the screen could not be read this time.
    const match = tree && context.match(action.target, tree)
    if (match) {
      // A target in an unknown snapshot can neither appear nor disappear.
      if (!match.found && match.miss.facts['reason'] === 'unknown') throw new TargetMiss(match.miss)
      const visible = match.found || match.miss.code === 'ambiguous_target'
      if (visible === (action.state === 'visible')) return
    }
    const left = until - context.now()
    if (left <= 0) throw timeout(action, match)
    tree = await readable(() => context.nextTree(betweenLooksMs, 'wait_for', left))
  }
}

/** Null when the screen could not be read this time. */
async function readable(read: () => Promise<ScreenTree>): Promise<ScreenTree | null> {
  try {
    return await read()
  } catch (error) {
    const passing =
      error instanceof ScreenXmlError || (error instanceof ApiError && error.code === 'provider_error')
    if (passing) return null
    throw error
  }
}

function timeout(action: ActionOf<'wait_for'>, match: Match | null): ApiError {
  const miss = match && !match.found ? missError(match.miss).details : {}
  return new ApiError('wait_timeout', {
    // Keeps "not seen" apart from "could not read".
    message: match
      ? `The target was not ${action.state} within ${action.timeout_ms} ms.${similar(match)}`
      : `The screen could not be read at the end of ${action.timeout_ms} ms, so the state of the target is unknown.`,
    next: match
      ? advice.not_there.withoutObservation
      : 'Take a screenshot: elements cannot always be read while the screen keeps moving.',
    details: { ...miss, target: action.target, state: action.state, timeout_ms: action.timeout_ms },
  })
}

/**
 * Waits until nothing was drawn for `idleGapMs`, or two trees are equal, as on a screen with a spinner. Reads at least
 * twice, however short the timeout: one read cannot show stillness.
 */
export async function waitIdle(action: ActionOf<'wait_idle'>, context: ActionContext): Promise<void> {
  const until = context.now() + action.timeout_ms
  await context.settled()
  const isStill = () => (context.stillFor() ?? 0) >= idleGapMs
  let before: string | null = null
  for (let looks = 1; ; looks += 1) {
    if (isStill()) return
    const tree = await readable(() => context.currentTree())
    const signature = tree && signatureOf(tree)
    if (signature !== null && signature === before) return
    before = signature
    if (looks > 1 && context.now() + idleGapMs > until) throw neverIdle(action.timeout_ms, signature !== null)
    await context.progress.sleep(idleGapMs, 'wait_idle')
  }
}

/** Names the elements that `missError` names. */
const similar = (match: Match): string =>
  match.found ? '' : (/ Similar: .*$/s.exec(missError(match.miss).message)?.[0] ?? '')

const neverIdle = (timeoutMs: number, readable: boolean): ApiError =>
  new ApiError('wait_timeout', {
    message: readable
      ? `The screen kept changing for ${timeoutMs} ms.`
      : `The screen could not be read at the end of ${timeoutMs} ms, so it may still be changing.`,
    next: readable
      ? 'Use a longer `timeout_ms`, or use `wait_for` with the expected element.'
      : 'Take a screenshot: elements cannot always be read while the screen keeps moving.',
    details: { timeout_ms: timeoutMs },
  })
