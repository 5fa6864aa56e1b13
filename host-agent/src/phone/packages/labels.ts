/**
 * Reads the app names that a launcher shows, which Android's shell does not report: from the UI server where
 * it runs, otherwise from a short-lived scrcpy server. Both list only apps with an icon. Used by
 * `packages.ts`.
 */
import { ApiError, DeadlineExceeded, type Logger, type Progress } from '@phonerack/shared'
import { UiServerDown, UiServerRefused } from '../ui-server/http.js'
import { UiServerUnavailable, type UiServerKeeper } from '../ui-server/keeper.js'
import type { ScrcpyKeeper } from '../../capture/scrcpy/keeper.js'
import { oneLine, parseAppList } from './parse.js'

/** Labels by package. Null when no source is available. */
export type ReadLabels = (progress: Progress) => Promise<ReadonlyMap<string, string> | null>

/** Milliseconds per source. With 300 apps, each source takes about a second. */
const times = { uiServer: 4000, scrcpy: 8000 }

interface LabelParts {
  uiServer: Pick<UiServerKeeper, 'use'>
  scrcpy: Pick<ScrcpyKeeper, 'listApps'>
  log: Logger
}

/** Whether the error leaves a list of apps without labels but does not fail the list. */
const isFailure = (error: unknown): boolean =>
  error instanceof UiServerUnavailable ||
  error instanceof UiServerDown ||
  error instanceof UiServerRefused ||
  error instanceof DeadlineExceeded ||
  error instanceof ApiError

export function createLabels({ uiServer, scrcpy, log }: LabelParts): ReadLabels {
  const byUiServer: ReadLabels = (progress) =>
    uiServer.use(async (session, within) => {
      const apps = await session.launchable(within)
      return new Map(apps.map(({ packageName, appName }) => [packageName, oneLine(appName)]))
    }, progress.within(times.uiServer))
  const byScrcpy: ReadLabels = async (progress) =>
    parseAppList(await scrcpy.listApps(progress.within(times.scrcpy)))

  return async (progress) => {
    for (const [name, read] of Object.entries({ byUiServer, byScrcpy })) {
      try {
        const labels = await read(progress)
        if (labels !== null && labels.size > 0) return labels
      } catch (error) {
        if (!isFailure(error) || progress.expired) throw error
        log.info({ err: error, name }, 'the labels of the apps could not be read')
      }
    }
    return null
  }
}
