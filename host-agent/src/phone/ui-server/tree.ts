/**
 * Reads the element tree from the UI server, or by `uiautomator dump` while the server does not run or must
 * not run. A read changes nothing on the phone, so it is retried once when the server fails.
 */
import { type Logger, type Progress } from '@phonerack/shared'
import type { Ui } from '../../adb/device/device.js'
import { UiServerDown, UiServerRefused } from './http.js'
import { UiServerUnavailable, type UiServerKeeper } from './keeper.js'

interface UiServerTreeParts {
  server: UiServerKeeper
  /** Reads the tree with `uiautomator dump`. */
  fallback: Ui
  log: Logger
  /** Called when a read begins. */
  beforeRead: () => void
}

const treeTimes = {
  /** Time for one attempt; a slow phone takes 3 s for a screen of 1,500 nodes. */
  tryMs: 7000,
  /** Time for both attempts, with a restart of the server between them. */
  allMs: 15_000,
} as const

export function createUiServerTree({ server, fallback, log, beforeRead }: UiServerTreeParts): Ui {
  const once = (progress: Progress, refresh: boolean): Promise<string> =>
    server.read(
      treeTimes.tryMs,
      async (session, within) => {
        if (refresh) await session.refresh(within)
        return session.source(within)
      },
      progress,
    )

  return {
    async source(progress, refresh = false) {
      beforeRead()
      const within = progress.within(treeTimes.allMs)
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await once(within, refresh)
        } catch (error) {
          if (error instanceof UiServerUnavailable) {
            log.info({ reason: error.message }, 'the tree is read by uiautomator dump')
            return await server.whileStopped(() => fallback.source(progress), progress)
          }
          const failed = error instanceof UiServerDown || error instanceof UiServerRefused
          if (!failed) throw error
          // After two attempts, an answer that is not valid XML becomes a `ScreenXmlError` with the server's message,
          // which clients see as `provider_error`.
          if (attempt >= 2) return error.message
          log.warn({ err: error }, 'the UI server failed; reading the tree again')
        }
      }
    },
  }
}
