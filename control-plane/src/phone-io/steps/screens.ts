/**
 * Keeps the last screen of each phone that this replica has read, until the screen is written.
 * docs/decisions/0277
 */
import { createLru } from '../../base/lru.js'
import { type Core } from '../../base/core/core.js'
import { type StepSettings } from '../../base/core/caller.js'
import { packScreen } from './pack-screen.js'
import { mostWaiting, type PhoneQueue } from './phone-queue.js'
import { writeScreen } from './rows.js'
import { type TypedTexts } from './typed-texts.js'

/** Milliseconds after which a screen is written. */
const writeAfterMs = 200
/** The number of phones whose screens wait. Above it, the oldest screens are dropped. */
const mostPhones = 2000

interface Seen {
  projectId: string
  phoneId: string
  settings: StepSettings
  at: Date
  json: Uint8Array
}

export interface LastScreens {
  /** Keeps a screen that a client has read. Returns immediately. */
  see(screen: Seen): void
  /** Adds the waiting screen of the phone to the queue. A failed write must not fail the batch. */
  flush(phoneId: string): void
  /** Adds all waiting screens to the queue. */
  close(): void
}

export function createLastScreens(core: Core, typed: TypedTexts, queue: PhoneQueue): LastScreens {
  const waiting = createLru<Seen>({ max: mostPhones })
  const timers = new Map<string, NodeJS.Timeout>()

  const write = async (seen: Seen): Promise<void> => {
    try {
      const packed = packScreen(seen.json, seen.at, seen.settings.text ? null : typed.masker(seen.phoneId))
      if (packed) await writeScreen(core, seen, packed.screen)
    } catch (error) {
      core.log.warn({ err: error, phone: seen.phoneId }, 'could not keep a screen')
    }
  }
  const flush = (phoneId: string): void => {
    clearTimeout(timers.get(phoneId))
    timers.delete(phoneId)
    const seen = waiting.get(phoneId)
    waiting.delete(phoneId)
    // While Postgres hangs, screens that no step needs would fill the memory.
    if (seen && queue.length(phoneId) < mostWaiting) void queue.add(phoneId, () => write(seen))
  }
  return {
    see(seen) {
      waiting.set(seen.phoneId, seen)
      if (timers.has(seen.phoneId)) return
      timers.set(
        seen.phoneId,
        setTimeout(() => flush(seen.phoneId), writeAfterMs),
      )
    },
    flush,
    close() {
      for (const phoneId of [...timers.keys()]) flush(phoneId)
    },
  }
}
