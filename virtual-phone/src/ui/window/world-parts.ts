/** Creates the parts of a `PhoneWorld` and connects them: model, screen, input and timers. */
import { type Display } from '../../android/world.js'
import { type App, type PhoneFacts } from '../apps/app.js'
import { Frames } from './frames.js'
import { HeadsUp } from './heads-up.js'
import { KeyInput } from './key-input.js'
import { Minutes } from './minutes.js'
import { Model } from './model.js'
import { Pointer } from './pointer.js'
import { ScreenSource } from './screen-source.js'
import { TouchInput } from './touch.js'

export const DPI = 420

export interface WorldOptions {
  apps: readonly App[]
  facts: PhoneFacts
  now: () => Date
}

/** The interface of the world to its parts. */
interface Surroundings {
  display: () => Display
  /** Whether the screen is not animated. */
  idle: () => boolean
  /** Whether a client watches the screen. */
  watched: () => boolean
  /** Called when time alone changes the next picture. */
  moved: () => void
  changed: () => void
  setClipboard: (text: string) => void
}

export function createParts(options: WorldOptions, around: Surroundings) {
  const model = new Model(options.apps)
  const frames = new Frames({
    moving: () => around.watched() && model.awake && !around.idle(),
    changesIn: () => {
      if (!around.watched() || !model.awake) return null
      const { changesAt } = screen.windows()
      return changesAt === Infinity ? null : changesAt - options.now().getTime()
    },
    frame: () => {
      screen.invalidate()
      around.moved()
    },
  })
  const minutes = new Minutes({ watched: around.watched, now: options.now, minute: around.moved })
  const headsUp = new HeadsUp({
    headsUp: () => model.system.headsUp,
    hide: () => {
      model.hideHeadsUp()
      around.changed()
    },
  })
  const keyInput = new KeyInput({
    model,
    windows: () => screen.windows(),
    focusedEdit: () => screen.focusedEdit,
    setClipboard: around.setClipboard,
  })
  const screen: ScreenSource = new ScreenSource({
    ...options,
    model,
    display: around.display,
    density: DPI / 160,
    keys: keyInput,
  })
  const pointer = new Pointer(model, screen)
  const touchInput = new TouchInput({
    layers: () => screen.windows().layers,
    tap: (v, x, y) => {
      pointer.tap(v, x, y)
    },
    longPress: (v, x, y) => {
      pointer.longPress(v, x, y)
    },
    locked: () => model.system.locked,
    unlock: () => {
      model.system.locked = false
    },
    openShade: () => {
      model.openShade()
    },
    closeShade: () => {
      model.shadeOpen = false
    },
    shadeOpen: () => model.shadeOpen,
    hideHeadsUp: () => {
      model.hideHeadsUp()
    },
    changed: around.changed,
    density: DPI / 160,
    now: () => performance.now(),
  })
  return { model, frames, minutes, headsUp, keyInput, screen, pointer, touchInput }
}
