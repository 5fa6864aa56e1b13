/**
 * The element tree from the resident UI server; by `uiautomator dump` while
 * that may not run or does not stand. A read changes nothing on the phone, so
 * that it is tried once more when the server fails in the middle.
 */
import { DeadlineExceeded, type Logger, type Progress } from '@phonerack/shared'
import type { Ui, Windows } from '../device/device.js'
import { UiServerDown, UiServerRefused } from './http.js'
import { UiServerUnavailable, type UiServerKeeper } from './keeper.js'
import type { UiSession } from './session.js'
import { withoutBars } from './windows.js'

export interface UiServerTreeParts {
  server: UiServerKeeper
  /** By `uiautomator dump`. */
  fallback: Ui
  windows: Windows
  log: Logger
  /** Called when a read begins. */
  beforeRead: () => void
}

export const treeTimes = {
  /** One try; a screen of 1,500 nodes takes a slow phone 3 s. */
  tryMs: 7000,
  /** Both tries with a restart between them. */
  allMs: 15_000,
} as const

const systemPackages: ReadonlySet<string> = new Set(['com.android.systemui', 'android'])

/** Packages whose windows the source holds; an app's overlay counts as the app. */
export function packagesOf(source: string): Set<string> {
  return new Set([...source.matchAll(/\spackage="([^"]*)"/g)].map(([, name = '']) => name))
}

export function createUiServerTree({ server, fallback, windows, log, beforeRead }: UiServerTreeParts): Ui {
  /** What Android remembers of the screen can lag behind: a tree without the app in front is read once more. */
  async function truthful(session: UiSession, progress: Progress): Promise<string> {
    const source = await session.source(progress)
    const doubtful = [...packagesOf(source)].every((name) => systemPackages.has(name) || name === '')
    if (!doubtful) return source
    const { package: front } = await windows.read(progress)
    if (front === '' || systemPackages.has(front)) return source
    await session.refresh(progress)
    const again = await session.source(progress)
    if (!packagesOf(again).has(front)) log.warn({ front }, 'the tree does not show the app in front')
    return again
  }

  const once = (progress: Progress): Promise<string> =>
    server.use(async (session, within) => {
      const limited = within.within(treeTimes.tryMs)
      try {
        return await truthful(session, limited)
      } catch (error) {
        // Silent for so long, while its caller still has time: it hangs.
        if (error instanceof DeadlineExceeded && !within.expired) {
          server.giveUp(session, 'it did not answer')
          throw new UiServerDown(error)
        }
        throw error
      }
    }, progress)

  return {
    async source(progress) {
      beforeRead()
      const within = progress.within(treeTimes.allMs)
      for (let attempt = 1; ; attempt += 1) {
        try {
          return withoutBars(await once(within))
        } catch (error) {
          if (error instanceof UiServerUnavailable) {
            log.info({ reason: error.message }, 'tree by uiautomator dump')
            return await server.whileStopped(() => fallback.source(progress))
          }
          const failed = error instanceof UiServerDown || error instanceof UiServerRefused
          if (!failed) throw error
          // What it answers after two tries is no XML: `ScreenXmlError` with its words, a `provider_error`.
          if (attempt >= 2) return error.message
          log.warn({ err: error }, 'the UI server failed, the tree is read again')
        }
      }
    },
  }
}
