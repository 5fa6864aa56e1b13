/**
 * The element with the input focus through the UI server, which finds it sooner than it writes a tree. A failure of the server
 * leaves the element unknown, and the caller reads the tree.
 */
import { type Progress } from '@phonerack/shared'
import type { TextInput } from '../../adb/device/device.js'
import { UiServerDown, UiServerRefused } from './http.js'
import { UiServerUnavailable, type UiServerKeeper } from './keeper.js'
import type { UiSession } from './session.js'

/** Milliseconds of a search and of a read. A tree takes as long on a slow phone. */
const limits = { search: 3000, read: 2000 } as const

export function createFocused(server: UiServerKeeper): NonNullable<TextInput['focused']> {
  const ask = async <T>(
    work: (session: UiSession, progress: Progress) => Promise<T>,
    limitMs: number,
    progress: Progress,
  ): Promise<T | null> => {
    try {
      return await server.read(limitMs, work, progress)
    } catch (error) {
      const failed =
        error instanceof UiServerRefused ||
        error instanceof UiServerDown ||
        error instanceof UiServerUnavailable
      if (failed) return null
      throw error
    }
  }
  return async (progress) => {
    const found = await ask((session, within) => session.focused(within), limits.search, progress)
    if (!found) return null
    const { element, ...field } = found
    return {
      ...field,
      again: (later) => ask((session, within) => session.textOf(element, within), limits.read, later),
    }
  }
}
