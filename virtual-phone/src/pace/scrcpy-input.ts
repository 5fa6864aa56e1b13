/** Delays the input of scrcpy's clients as on a phone, in order. Used by `phone.ts` with `--pace real`. */
import { type ScrcpyServer } from '../android/program.js'
import { type World } from '../android/world.js'
import { overlay } from '../android/world-overlay.js'

/**
 * Wraps `server` with a world whose touches, keys and texts arrive `delayMs` later. Input that is pending at
 * the server's end is dropped.
 */
export function lateInput(server: ScrcpyServer, delayMs: number): ScrcpyServer {
  if (delayMs === 0) return server
  return async (invocation) => {
    const timers = new Set<NodeJS.Timeout>()
    const later = (act: () => void): void => {
      const timer = setTimeout(() => {
        timers.delete(timer)
        act()
      }, delayMs)
      timers.add(timer)
    }
    try {
      return await server({ ...invocation, world: lateWorld(invocation.world, later) })
    } finally {
      for (const timer of timers) clearTimeout(timer)
    }
  }
}

/** Timers with equal delays fire in the order in which they were set. */
function lateWorld(world: World, later: (act: () => void) => void): World {
  const late: Pick<World, 'touch' | 'key' | 'scroll' | 'commitText'> = {
    touch: (...args) => {
      later(() => {
        world.touch(...args)
      })
    },
    key: (...args) => {
      later(() => {
        world.key(...args)
      })
    },
    scroll: (...args) => {
      later(() => {
        world.scroll(...args)
      })
    },
    commitText: (text) => {
      later(() => world.commitText(text))
      return world.inputMethod.served
    },
  }
  return overlay(world, late)
}
