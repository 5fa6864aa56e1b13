/** HostService: converts between protocol messages and phones. Only `grpc/` depends on gRPC. */
import {
  ImageFormat,
  ObserveMode as WireObserveMode,
  WipeLevel as WireWipeLevel,
  type HostServiceServer,
  type RunActionsRequest,
  type RunActionsResponse,
  type ScreenshotOptions as WireScreenshotOptions,
} from '@phonerack/proto'
import {
  actionBatchSchema,
  ApiError,
  ownNow,
  systemClock,
  type Logger,
  type ObserveMode,
} from '@phonerack/shared'
import { runBatch } from '../../actions/index.js'
import { explained } from '../../devices/supervision/care-failure.js'
import type { Installs } from '../../devices/installs/installs.js'
import type { WipeLevel } from '../../custody/custody.js'
import { profileOf } from '../../custody/profile.js'
import type { Registry } from '../../devices/registry.js'
import { types } from '../../devices/typed.js'
import {
  observe,
  takeAnnotatedScreenshot,
  takeScreenshot,
  type ScreenshotOptions,
  type SnapshotStore,
} from '../../screen/index.js'
import { createAppHandlers } from './app-handlers.js'
import type { Caller } from '../../devices/caller.js'
import { callerOf, streaming, unary } from './call.js'
import { resultJson, sendBatch } from './batch-stream.js'
import { createFileHandlers } from './file-handlers.js'
import { createIdentityHandlers, type Renewal } from './identity-handlers.js'
import { createMoveHandlers } from './move-handlers.js'
import { createReportHandlers } from './report-handlers.js'
import { createSettingsHandlers } from './settings-handlers.js'
import { createThumbnailHandlers } from './thumbnail-handlers.js'

interface HandlerParts {
  registry: Registry
  installs: Installs
  snapshots: SnapshotStore
  renewal: Renewal
  /** This host. */
  hostId: string
  log: Logger
}

const screenshotOptions = (options: WireScreenshotOptions): ScreenshotOptions => ({
  format: options.format === ImageFormat.IMAGE_FORMAT_PNG ? 'png' : 'jpeg',
  maxWidth: options.maxWidth || undefined,
  quality: options.quality || undefined,
})

const observeModes: Partial<Record<WireObserveMode, ObserveMode>> = {
  [WireObserveMode.OBSERVE_MODE_UNSPECIFIED]: 'ui',
  [WireObserveMode.OBSERVE_MODE_NONE]: 'none',
  [WireObserveMode.OBSERVE_MODE_UI]: 'ui',
  [WireObserveMode.OBSERVE_MODE_SCREENSHOT]: 'screenshot',
  [WireObserveMode.OBSERVE_MODE_BOTH]: 'both',
  [WireObserveMode.OBSERVE_MODE_TEXT]: 'text',
}

export function createHandlers({
  registry,
  installs,
  snapshots,
  renewal,
  hostId,
  log,
}: HandlerParts): HostServiceServer {
  const runActions = (name: string, guarded: boolean) =>
    streaming<RunActionsRequest, RunActionsResponse>(
      log,
      name,
      async (request, send, progress, untilDeadline) => {
        const { assignment, actionsJson, observe: mode, startWithinMs, stopBetweenActions, fresh } = request
        const { changesSince } = request
        const startBefore = startWithinMs === 0 ? Infinity : ownNow() + startWithinMs
        const caller = callerOf(assignment)
        const actions = readActions(actionsJson)
        const gate = registry.gate(caller.serial)
        const whole = stopBetweenActions ? untilDeadline : progress
        const noteTyped = () => {
          if (types(actions)) gate.typed.note(caller.phoneId)
        }
        await gate.write('batch', caller, whole, async (device, within) => {
          noteTyped()
          const outcome = await runBatch({
            device,
            snapshots: snapshots.of(caller),
            actions,
            observe: observeModes[mode] ?? 'ui',
            changesSince: changesSince === undefined ? undefined : changesSince || null,
            progress: within,
            clock: systemClock,
            log,
            guarded,
            startBefore,
            ...(stopBetweenActions ? { stop: progress.signal } : {}),
            looks: gate.looks(caller),
            fresh,
            ...sendBatch(caller.phoneId, send),
          })
          noteTyped()
          send({
            event: {
              $case: 'ended',
              value: {
                observationJson: outcome.observation
                  ? Buffer.from(JSON.stringify(outcome.observation))
                  : Buffer.alloc(0),
                resultsJson: resultJson(caller.phoneId, outcome.results),
                ...(outcome.elementBounds ? { elementBounds: outcome.elementBounds } : {}),
                ...(outcome.changes ? { changesJson: Buffer.from(JSON.stringify(outcome.changes)) } : {}),
              },
            },
          })
        })
      },
    )
  const forget = ({ serial, phoneId }: { serial: string; phoneId: string }) => {
    snapshots.forget(phoneId)
    registry.thumbnails(serial).forget()
    registry.gate(serial).forgetLooks()
  }
  const shownOf = (caller: Caller & { serial: string }) => ({
    snapshots: snapshots.of(caller),
    looks: registry.gate(caller.serial).looks(caller),
  })
  return {
    ...createSettingsHandlers(registry, log),
    ...createFileHandlers(registry, log),
    ...createAppHandlers(registry, installs, log),
    ...createReportHandlers(registry, log),
    ...createIdentityHandlers(renewal, log),
    ...createMoveHandlers(registry, hostId, log),
    ...createThumbnailHandlers(registry, log),
    startPhone: unary(log, 'StartPhone', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      const { serial } = caller
      const start = () => registry.gate(serial).start(caller, progress)
      return { readyAt: await explained(log, { serial, work: 'start' }, start) }
    }),
    parkPhone: unary(log, 'ParkPhone', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      forget(caller)
      await registry.gate(caller.serial).park(caller, progress)
      return {}
    }),
    rebootPhone: unary(log, 'RebootPhone', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      forget(caller)
      await registry.gate(caller.serial).reboot(caller, progress)
      return {}
    }),
    wipeDevice: unary(log, 'WipeDevice', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      forget(caller)
      const { serial } = caller
      const wipe = () => registry.gate(serial).wipe(caller, progress)
      const checks = await explained(log, { serial, work: 'wipe' }, wipe)
      return { verified: isVerified(checks), checks, ...cleanness(registry, serial) }
    }),
    enrollDevice: unary(log, 'EnrollDevice', async ({ serial, fencingNumber }, progress) => {
      const caller = { phoneId: '', tenant: '', fencingNumber, requestId: '' }
      const enroll = () => registry.gate(serial).enroll(caller, progress)
      const { checks, capabilities } = await explained(log, { serial, work: 'enrolment' }, enroll)
      return { verified: isVerified(checks), checks, capabilities, ...cleanness(registry, serial) }
    }),
    observe: unary(log, 'Observe', async ({ assignment, screenshot, fresh, since }, progress) => {
      const caller = callerOf(assignment)
      const gate = registry.gate(caller.serial)
      const options = {
        screenshot: screenshot && screenshotOptions(screenshot),
        fresh,
        changes: since === undefined ? undefined : { since, isWhole: false },
      }
      const { observation, changes } = await gate.read(caller, progress, (device, within) =>
        observe(device, shownOf(caller), options, within),
      )
      const { screenshot: picture, ...screen } = observation
      const changed = changes && (picture ? { ...changes, screenshot: picture } : changes)
      return {
        observationJson: Buffer.from(JSON.stringify(changed ? screen : observation)),
        snapshotId: observation.snapshot_id,
        text: changed?.text ?? observation.text,
        settled: observation.settled ?? undefined,
        ...(changed ? { changesJson: Buffer.from(JSON.stringify(changed)) } : {}),
      }
    }),
    screenshot: unary(log, 'Screenshot', async ({ assignment, screenshot }, progress) => {
      const caller = callerOf(assignment)
      const wanted = screenshot ?? {
        format: ImageFormat.IMAGE_FORMAT_JPEG,
        maxWidth: 0,
        quality: 0,
        annotate: false,
      }
      const options = screenshotOptions(wanted)
      const { shot, snapshotId } = await registry
        .gate(caller.serial)
        .readScreen(caller, progress, async (device, within) =>
          wanted.annotate
            ? takeAnnotatedScreenshot(device, shownOf(caller), options, within)
            : { shot: await takeScreenshot(device, options, within), snapshotId: '' },
        )
      return {
        image: Buffer.from(shot.image),
        screenWidth: shot.screenWidth,
        screenHeight: shot.screenHeight,
        scale: shot.scale,
        secure: shot.secure,
        snapshotId,
      }
    }),
    runActions: runActions('RunActions', false),
    runGuardedActions: runActions('RunGuardedActions', true),
  }
}

/**
 * Returns the state of the device's record after a wipe: for whom the device is clean, its new identity, and its
 * profile.
 */
function cleanness(registry: Registry, serial: string) {
  const { fencing, record } = registry.gate(serial)
  const { custody, cleanFor } = fencing
  const level = custody.dirty ? null : (custody.clean?.level ?? null)
  return {
    level: wireLevels[level ?? 'none'],
    revision: BigInt(custody.revision),
    cleanFor,
    identity: level === null ? '' : (record.identity?.key ?? ''),
    profileJson: profileOf(record),
  }
}

const wireLevels: Record<WipeLevel | 'none', WireWipeLevel> = {
  none: WireWipeLevel.WIPE_LEVEL_UNSPECIFIED,
  package: WireWipeLevel.WIPE_LEVEL_PACKAGE,
  data: WireWipeLevel.WIPE_LEVEL_DATA,
}

/** Whether something was checked and all checks passed. */
const isVerified = (checks: readonly { passed: boolean }[]): boolean =>
  checks.length > 0 && checks.every(({ passed }) => passed)

/** The agent validates the actions again, and does not rely on the control plane. */
function readActions(json: Uint8Array) {
  let actions: unknown
  try {
    actions = JSON.parse(Buffer.from(json).toString('utf8'))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ApiError('validation_failed', { message: '`actions` is not valid JSON.', cause: error })
  }
  const batch = actionBatchSchema.safeParse({ actions })
  if (!batch.success) {
    throw new ApiError('validation_failed', { details: { issues: batch.error.issues }, cause: batch.error })
  }
  return batch.data.actions
}
