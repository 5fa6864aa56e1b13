/** A world with some methods replaced, for delayed or counted calls. Used by `phone.ts` and `pace/`. */
import type { Counters } from './counters.js'
import type { World } from './world.js'

/** Returns `world` with `methods` in place of its methods. */
export function overlay(world: World, methods: Partial<World>): World {
  return new Proxy(world, {
    get: (target, name) => {
      if (Object.hasOwn(methods, name)) return methods[name as keyof World]
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

/** Counts the calls of hosts to `world`. The person at the phone uses the same methods. */
export function counted(world: World, counters: Counters): World {
  return overlay(world, {
    touch: (action, ...rest) => {
      if (action === 'down') counters.count('touches')
      world.touch(action, ...rest)
    },
    key: (action, ...rest) => {
      if (action === 'down') counters.count('keys')
      world.key(action, ...rest)
    },
    scroll: (...args) => {
      counters.count('scrolls')
      world.scroll(...args)
    },
    commitText: (text) => {
      counters.count('texts')
      return world.commitText(text)
    },
    setClipboard: (text) => {
      counters.count('clipboardSets')
      world.setClipboard(text)
    },
    paste: () => {
      counters.count('pastes')
      world.paste()
    },
  })
}
