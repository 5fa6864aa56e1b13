/** The last screen of each phone that this replica has read, until it is written. docs/decisions/0277 */
import { createLru } from '../../base/lru.js'
import { type Core } from '../../base/core/core.js'
import { type StepSettings } from '../../base/core/caller.js'
import { packScreen } from './pack-screen.js'
import { writeScreen } from './rows.js'
import { type TypedTexts } from './typed-texts.js'

/** Milliseconds after which a screen is written. */
const writeAfterMs = 200
/** Phones whose screens wait. Beyond it the oldest are not kept. */
const mostPhones = 2000

interface Seen {
  projectId: string
  phoneId: string
  settings: StepSettings
  at: Date
  json: Uint8Array
}

export interface LastScreens {
  /** A client has read it. Returns immediately. */
  see(screen: Seen): void
  /** Writes the phone's screen that waits. A failed write must not fail the batch. */
  flush(phoneId: string): Promise<void>
  close(): Promise<void>
}

export function createLastScreens(core: Core, typed: TypedTexts): LastScreens {
  const waiting = createLru<Seen>({ max: mostPhones })
  const writing = new Map<string, Promise<void>>()
  const timers = new Map<string, NodeJS.Timeout>()

  const write = async (seen: Seen): Promise<void> => {
    const packed = packScreen(seen.json, seen.at, seen.settings.text ? null : typed.masker(seen.phoneId))
    if (packed) await writeScreen(core, seen, packed.screen)
  }
  const flush = async (phoneId: string): Promise<void> => {
    clearTimeout(timers.get(phoneId))
    timers.delete(phoneId)
    const seen = waiting.get(phoneId)
    waiting.delete(phoneId)
    const before = writing.get(phoneId) ?? Promise.resolve()
    if (!seen) return before
    const written = before
      .then(() => write(seen))
      .catch((error: unknown) => core.log.warn({ err: error, phone: phoneId }, 'could not keep a screen'))
    writing.set(phoneId, written)
    await written
    if (writing.get(phoneId) === written) writing.delete(phoneId)
  }
  return {
    see(seen) {
      waiting.set(seen.phoneId, seen)
      if (timers.has(seen.phoneId)) return
      timers.set(
        seen.phoneId,
        setTimeout(() => void flush(seen.phoneId), writeAfterMs),
      )
    },
    flush,
    async close() {
      await Promise.all([...timers.keys()].map(flush))
    },
  }
}
