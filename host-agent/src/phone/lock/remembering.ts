/** Wraps inputs of batches and live views, so that the credential memory gets the typed text. */
import type { Input, LiveInput, TextMethod } from '../../adb/device/device.js'
import type { CredentialMemory } from './credential-memory.js'

type Memory = Pick<CredentialMemory, 'typed' | 'pressed'>

export const rememberingText = (method: TextMethod, memory: Memory): TextMethod => ({
  name: method.name,
  mode: method.mode,
  accepts: (text) => method.accepts(text),
  limitMs: (text) => method.limitMs(text),
  send(text, field, progress) {
    memory.typed(text, performance.now())
    return method.send(text, field, progress)
  },
})

export const rememberingInput = (input: Input, memory: Memory): Input => ({
  gesture: (strokes, progress) => input.gesture(strokes, progress),
  key(keyCode, metaState, progress) {
    memory.pressed(keyCode, performance.now())
    return input.key(keyCode, metaState, progress)
  },
})

export const rememberingLiveInput = (input: LiveInput, memory: Memory): LiveInput => ({
  touch: (phase, pointer, point, progress) => input.touch(phase, pointer, point, progress),
  key(down, keyCode, metaState, repeat, progress) {
    if (down) memory.pressed(keyCode, performance.now())
    return input.key(down, keyCode, metaState, repeat, progress)
  },
  scroll: (point, horizontal, vertical, progress) => input.scroll(point, horizontal, vertical, progress),
  rotate: (progress) => input.rotate(progress),
})
