/** Wraps the `DeviceService`: each batch becomes a step, and each screen that a client reads may begin one. */
import { ApiError } from '@phonerack/shared'
import { type Core } from '../core/core.js'
import { type DeviceService } from '../device-control/types.js'
import { readAnswer, recordedMode } from './answers.js'
import { type StepRecorder } from './recorder.js'

export const createRecordedDevices = (
  core: Core,
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
    const { steps: settings, projectId, keyId } = caller
    if (!settings) return devices.runActions(caller, phoneId, batch, context)
    const { actions, observe } = batch
    const { via, client } = context.sender ?? { via: 'api' as const, client: null }
    const step = recorder.begin({
      ...{ projectId, phoneId, keyId, requestId: context.requestId, via, client, settings },
      ...{ actions, observe },
    })
    const mode = recordedMode(observe, settings)
    let json: Uint8Array
    let bounds: Uint8Array = new Uint8Array()
    const recording = { ...context, onBounds: (found: Uint8Array) => void (bounds = found) }
    try {
      json = await devices.runActions(caller, phoneId, { actions, observe: mode }, recording)
    } catch (error) {
      // Every error but this one means that no action ran.
      if (error instanceof ApiError && error.code !== 'internal_error') step.refused()
      else await step.unknown({ code: 'internal_error', message: messageOf(error) })
      throw error
    }
    const answer = readAnswer(json, { observe, count: actions.length }, mode, bounds)
    await step.answered(answer)
    return answer.json
  },
})

const messageOf = (error: unknown): string =>
  error instanceof ApiError ? error.message : 'The batch failed in the control plane.'
