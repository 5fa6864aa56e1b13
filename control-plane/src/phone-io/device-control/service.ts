/** Implements `DeviceControlService`: requests into a ready phone. */
import {
  ImageFormat,
  type Assignment,
  type ObserveRequest,
  type ObserveResponse,
  type ScreenshotOptions,
  type ScreenshotRequest as ScreenshotCall,
  type ScreenshotResponse,
} from '@phonerack/proto'
import { type Progress } from '@phonerack/shared'
import { callHost } from '../../links/host-calls/calls.js'
import { type HostClients } from '../../links/host-calls/clients.js'
import { type Core } from '../../base/core/core.js'
import { conflictOr } from '../../rental/phones/conflict-after-call.js'
import { assignmentOf } from '../../rental/devices/placement.js'
import { retryRead } from './reads.js'
import { hostMode, markedWhole, sinceOf } from '../steps/host-mode.js'
import { runBatch, type HostAnswer } from './run-actions.js'
import { checkShell, shellAnswer } from './shell.js'
import { readyTarget, writableTarget, type Target } from '../../rental/phones/target.js'
import { BatchRecording } from '../steps/recorded-batch.js'
import { type StepRecorder } from '../steps/recorder.js'
import { type CallContext, type Caller } from '../../base/core/caller.js'
import { type DeviceControlService, type ScreenshotRequest } from './types.js'

/** Milliseconds for one try of a read. */
const readMs = 15_000

export function createDeviceControlService(
  core: Core,
  hosts: HostClients,
  recorder: StepRecorder,
): DeviceControlService {
  const read = <T>(
    caller: Caller,
    phoneId: string,
    context: CallContext,
    call: (target: Target, assignment: Assignment, progress: Progress) => Promise<T>,
  ): Promise<T> =>
    retryRead(phoneId, context, async (progress) => {
      const target = await readyTarget(core, hosts, caller, phoneId, context.signal)
      return call(target, assignmentOf(phoneId, target, context.requestId), progress.within(readMs))
    })

  const runActions: DeviceControlService['runActions'] = async (caller, phoneId, batch, context) => {
    const target = await writableTarget(core, hosts, caller, phoneId, context.signal)
    if (batch.actions.some(({ type }) => type === 'shell')) checkShell(caller)
    const { steps: settings } = caller
    // The recording starts after the check, so that a key without the right to control the phone neither
    // stores nor changes data of the phone.
    const recording = settings
      ? new BatchRecording(core.log, recorder, { caller, settings, phoneId, ...batch, context })
      : null
    let answer: HostAnswer
    try {
      const isGuarded = caller.profile === 'guarded'
      answer = await runBatch(
        phoneId,
        target,
        { ...batch, observe: recording?.mode ?? hostMode(batch) },
        { ...context, isGuarded, onBounds: recording?.onBounds, since: sinceOf(batch) },
      )
    } catch (error) {
      // After every error but `internal_error`, no action ran.
      const refusal = await conflictOr(core, phoneId, error)
      await recording?.failed(refusal)
      throw refusal
    }
    const json = recording ? await recording.answered(answer.json) : answer.json
    return answer.withChanges ?? json
  }

  return {
    async observe(caller, phoneId, screenshot, context, { fresh = false, since } = {}) {
      const { screen, ...seen } = await read(
        caller,
        phoneId,
        context,
        async ({ connection }, assignment, progress) => {
          const options = screenshot ? optionsOf(screenshot) : undefined
          const request = { assignment, screenshot: options, fresh, since }
          const answer = await callHost<ObserveRequest, ObserveResponse>(
            connection,
            (client, ...rest) => client.observe(...rest),
            request,
            progress,
          )
          const { observationJson: screen, changesJson, snapshotId, text, settled = null } = answer
          const json = changesJson ?? (since === undefined ? screen : markedWhole(screen, since))
          return { screen, json, snapshotId, text, settled }
        },
      )
      const { steps: settings, projectId } = caller
      // The next step may begin with a screen that a client has read.
      if (settings) recorder.screens.see({ projectId, phoneId, settings, at: core.clock.now(), json: screen })
      return seen
    },

    screenshot: (caller, phoneId, wanted, context) =>
      read(caller, phoneId, context, async ({ connection }, assignment, progress) => {
        const request = { assignment, screenshot: optionsOf(wanted) }
        return callHost<ScreenshotCall, ScreenshotResponse>(
          connection,
          (client, ...rest) => client.screenshot(...rest),
          request,
          progress,
        )
      }),

    runActions,

    async shell(caller, phoneId, command, context) {
      const batch = { actions: [command], observe: 'none' } as const
      return shellAnswer(phoneId, () => runActions(caller, phoneId, batch, context))
    },
  }
}

const optionsOf = (request: ScreenshotRequest): ScreenshotOptions => ({
  format: request.format === 'png' ? ImageFormat.IMAGE_FORMAT_PNG : ImageFormat.IMAGE_FORMAT_JPEG,
  maxWidth: request.maxWidth ?? 0,
  quality: request.quality ?? 0,
  annotate: request.annotate ?? false,
})
