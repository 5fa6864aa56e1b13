/**
 * Wraps the `DeviceService`: each batch becomes a step, and each screen that a client reads may begin one. A fault of the
 * recording never changes a batch or its answer.
 */
import { ApiError, type Action, type ObserveMode } from '@phonerack/shared'
import { type Caller, type CallContext } from '../../base/core/caller.js'
import { type Core } from '../../base/core/core.js'
import { type DeviceService } from '../device-control/types.js'
import { readAnswer, recordedMode, withoutObservation, type BatchAnswer } from './answers.js'
import { type OpenStep, type StepRecorder } from './recorder.js'

export const createRecordedDevices = (
  core: Pick<Core, 'clock' | 'log'>,
  devices: DeviceService,
  recorder: StepRecorder,
): DeviceService => ({
  async observe(caller, phoneId, screenshot, context) {
    const seen = await devices.observe(caller, phoneId, screenshot, context)
    const { steps: settings, projectId } = caller
    if (settings)
      recorder.screens.see({ projectId, phoneId, settings, at: core.clock.now(), json: seen.json })
    return seen
  },

  screenshot: (...request) => devices.screenshot(...request),

  async runActions(caller, phoneId, batch, context) {
    const { steps: settings } = caller
    if (!settings) return devices.runActions(caller, phoneId, batch, context)
    const { actions, observe } = batch
    const mode = recordedMode(observe, settings)
    const recording = new Recording(core, recorder, phoneId)
    let bounds: Uint8Array = new Uint8Array()
    let json: Uint8Array
    try {
      json = await devices.runActions(
        caller,
        phoneId,
        { actions, observe: mode },
        {
          ...context,
          // Nothing of a phone is kept or changed for a key that must not control it.
          onAdmitted: () => recording.begin(caller, batch, context),
          onBounds: (found) => void (bounds = found),
        },
      )
    } catch (error) {
      await recording.failed(error)
      throw error
    }
    const answer = await recording.answered(() =>
      readAnswer(json, { observe, count: actions.length }, mode, bounds),
    )
    if (answer) return answer.json
    return mode === observe ? json : withoutObservation(json)
  },
})

/** The step of one batch, once its phone has admitted it. Its methods do not fail. */
class Recording {
  private step: OpenStep | null = null

  constructor(
    private readonly core: Pick<Core, 'log'>,
    private readonly recorder: StepRecorder,
    private readonly phoneId: string,
  ) {}

  begin(
    caller: Caller,
    { actions, observe }: { actions: readonly Action[]; observe: ObserveMode },
    context: CallContext,
  ): void {
    const { steps: settings, projectId, keyId } = caller
    if (!settings) return
    const { via, client } = context.sender ?? { via: 'api' as const, client: null }
    const { phoneId } = this
    try {
      this.step = this.recorder.begin({
        projectId,
        phoneId,
        keyId,
        requestId: context.requestId,
        via,
        client,
        settings,
        actions,
        observe,
      })
    } catch (error) {
      this.report(error)
    }
  }

  async failed(error: unknown): Promise<void> {
    try {
      // Every error but this one means that no action ran.
      if (error instanceof ApiError && error.code !== 'internal_error') this.step?.refused()
      else await this.step?.unknown({ code: 'internal_error', message: messageOf(error) })
    } catch (fault) {
      this.report(fault)
    }
  }

  /** @returns null when `read` fails */
  async answered(read: () => BatchAnswer): Promise<BatchAnswer | null> {
    let answer: BatchAnswer | null = null
    try {
      answer = read()
      await this.step?.answered(answer)
    } catch (error) {
      this.report(error)
      // The batch ran, but its step does not say how far it came.
      await this.failed(error)
    }
    return answer
  }

  private report(error: unknown): void {
    this.core.log.error({ err: error, phone: this.phoneId }, 'could not record a batch')
  }
}

const messageOf = (error: unknown): string =>
  error instanceof ApiError ? error.message : 'The batch failed in the control plane.'
