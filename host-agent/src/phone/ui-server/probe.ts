/** The enrolment's probe of the UI server, and its start at each provisioning. Used by `supervision/provision.ts`. */
import type { Logger, Progress } from '@phonerack/shared'
import { isDisconnect } from '../../base/device-gone.js'
import { attempt, type FoundCapability } from '../../adb/device/attempt.js'
import { uiServer } from '../../adb/parts/parts.js'
import type { UiServerKeeper } from './keeper.js'

/** Milliseconds for two installations and a first start. */
const probeMs = 60_000
/**
 * Milliseconds for the start at a provisioning, which need not wait longer: `uiautomator dump` provides trees
 * until the server runs.
 */
const startMs = 20_000

/** `implementation` is empty when the server must not run on this phone, or fails to run. */
export async function probeUiServer(keeper: UiServerKeeper, progress: Progress): Promise<FoundCapability> {
  let found: FoundCapability | null = null
  try {
    found = await attempt(
      'ui',
      'ui-server',
      progress,
      async (within) => {
        await keeper.start(within)
        const startedAt = performance.now()
        const source = await keeper.use((session, left) => session.source(left), within)
        if (!source.trimEnd().endsWith('>') || !source.includes('<hierarchy'))
          throw new Error(source.slice(0, 200))
        const ms = Math.round(performance.now() - startedAt)
        return `UI server ${uiServer.version}: hierarchy of ${source.length} characters in ${ms} ms; ${keeper.outOfReach}`
      },
      probeMs,
    )
    return found
  } finally {
    // The keeper stops even if the phone disconnected during the probe.
    if (!found?.implementation) keeper.stop()
  }
}

/**
 * Starts the server. A failed start does not fail the provisioning.
 * @throws DeviceGone
 */
export async function startUiServer(keeper: UiServerKeeper, log: Logger, progress: Progress): Promise<void> {
  try {
    await keeper.start(progress.within(startMs))
  } catch (error) {
    if (isDisconnect(error)) throw error
    progress.check('starting the UI server')
    log.warn({ err: error }, 'the phone continues without its UI server')
  }
}
