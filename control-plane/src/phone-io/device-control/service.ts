/** Implements `DeviceService`: requests into a ready phone. */
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
import { runBatch } from './run-actions.js'
import { readyTarget, writableTarget, type Target } from '../../rental/phones/target.js'
import { type CallContext, type Caller } from '../../base/core/caller.js'
import { type DeviceService, type ScreenshotRequest } from './types.js'

/** Milliseconds for one try of a read. */
const readMs = 15_000

export function createDeviceService(core: Core, hosts: HostClients): DeviceService {
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

  return {
    observe: (caller, phoneId, screenshot, context) =>
      read(caller, phoneId, context, async ({ connection }, assignment, progress) => {
        const request = { assignment, screenshot: screenshot ? optionsOf(screenshot) : undefined }
        const answer = await callHost<ObserveRequest, ObserveResponse>(
          connection,
          (client, ...rest) => client.observe(...rest),
          request,
          progress,
        )
        return { json: answer.observationJson, snapshotId: answer.snapshotId, text: answer.text }
      }),

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

    async runActions(caller, phoneId, batch, context) {
      const target = await writableTarget(core, hosts, caller, phoneId, context.signal)
      context.onAdmitted?.()
      try {
        return await runBatch(phoneId, target, batch, { ...context, isGuarded: caller.profile === 'guarded' })
      } catch (error) {
        // On every error but `internal_error`, no action ran.
        throw await conflictOr(core, phoneId, error)
      }
    },
  }
}

const optionsOf = (request: ScreenshotRequest): ScreenshotOptions => ({
  format: request.format === 'png' ? ImageFormat.IMAGE_FORMAT_PNG : ImageFormat.IMAGE_FORMAT_JPEG,
  maxWidth: request.maxWidth ?? 0,
  quality: request.quality ?? 0,
  annotate: request.annotate ?? false,
})
