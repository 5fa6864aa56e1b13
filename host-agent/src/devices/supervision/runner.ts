/**
 * Runs the state machine of one device: dispatches events, starts the effect of each state, and lets callers wait for a state.
 * Independent of phones. Used by `supervisor.ts`.
 */
import { DeadlineExceeded, Progress, type Logger } from '@phonerack/shared'
import { DeviceGone } from '../../adb/device/device.js'
import { reasonOf } from './failures.js'
import {
  entryOf,
  isSameState,
  nextState,
  type DeviceEvent,
  type DeviceState,
  type Effect,
} from './state-machine.js'

export interface RunnerParts {
  serial: string
  /**
   * Runs the effect of a state. The effect's event, or `failed` when it throws, counts only while the state
   * lasts.
   */
  perform: (effect: Effect, progress: Progress) => Promise<DeviceEvent>
  /** Whether the last call to the phone hung. */
  hanging: () => boolean
  /** Whether an effect failed by a fault of this host. */
  isHostFault: (error: unknown) => boolean
  /** Milliseconds between two checks of a phone that is not enrolled; when omitted, the product's interval applies. */
  unenrolledMs?: number | undefined
  /** Called after each event, before the effect of the state starts. */
  entering: (state: DeviceState) => void
  /** Called after each event, last. */
  onChange: () => void
  log: Logger
}

/** Milliseconds until a phone that has not booted is queried again. */
const bootPollMs = 300

export class StateRunner {
  private state: DeviceState = { name: 'absent' }
  private stateSince = performance.now()
  private entry: { timers: NodeJS.Timeout[]; control: AbortController } | null = null
  private readonly waiters = new Set<() => void>()
  private stopped = false

  constructor(private readonly parts: RunnerParts) {}

  get current(): DeviceState {
    return this.state
  }

  /** Whether an operation works on the phone and expects it to restart. */
  get isWorkedOn(): boolean {
    return this.state.name === 'busy' && this.state.owner === 'operation'
  }

  dispatch(event: DeviceEvent): void {
    if (this.stopped) return
    const before = this.state
    const next = nextState(before, event)
    this.state = next
    if (!isSameState(next, before)) {
      this.stateSince = performance.now()
      this.parts.log.info({ from: before.name, to: next }, 'the state of a device changed')
    }
    this.parts.entering(next)
    // Events other than link events also restart an effect that ended without a state change.
    if (next !== before || event.type !== 'link') this.enter()
    this.wakeWaiters()
    this.parts.onChange()
  }

  /**
   * Waits until `find` returns a value; `find` is called after each event.
   * @throws DeviceGone after `progress`, or after `stop`
   */
  async waitFor<T>(
    find: () => T | null,
    what: string,
    instead: () => string,
    progress: Progress,
  ): Promise<T> {
    for (;;) {
      const found = find()
      if (found !== null) return found
      if (this.stopped || progress.expired) throw new DeviceGone(this.parts.serial, new Error(instead()))
      try {
        await progress.race(what, () => this.changed())
      } catch (error) {
        if (!(error instanceof DeadlineExceeded)) throw error
      }
    }
  }

  stop(): void {
    this.stopped = true
    this.leave()
    this.wakeWaiters()
  }

  private leave(): void {
    for (const timer of this.entry?.timers ?? []) clearTimeout(timer)
    this.entry?.control.abort()
    this.entry = null
  }

  private enter(): void {
    this.leave()
    const { state } = this
    const { effect, afterMs, limitMs, lastsMs } = entryOf(state, Math.random(), this.parts.unenrolledMs)
    if (effect === 'none') return
    const control = new AbortController()
    const again = state.name === 'booting' && performance.now() - this.stateSince > 100 ? bootPollMs : 0
    const timers = [
      setTimeout(() => void this.runEffect(effect, limitMs, control.signal), Math.max(afterMs, again)),
    ]
    if (lastsMs !== null) {
      const left = this.stateSince + lastsMs - performance.now()
      timers.push(setTimeout(() => this.dispatch({ type: 'timed_out' }), Math.max(0, left)))
    }
    this.entry = { timers, control }
  }

  private async runEffect(effect: Effect, limitMs: number, signal: AbortSignal): Promise<void> {
    let event: DeviceEvent
    try {
      event = await this.parts.perform(effect, Progress.for(limitMs, signal))
    } catch (error) {
      event = {
        type: 'failed',
        reason: reasonOf(error),
        hung: this.parts.hanging(),
        hostFault: this.parts.isHostFault(error),
      }
    }
    if (!signal.aborted) this.dispatch(event)
  }

  private changed(): Promise<void> {
    return new Promise((resolve) => this.waiters.add(resolve))
  }

  private wakeWaiters(): void {
    const waiting = [...this.waiters]
    this.waiters.clear()
    for (const waiter of waiting) waiter()
  }
}
