/** Input that passes its text to the credential memory, for batches and live views. */
import type { Input, LiveInput, TextWay } from '../device/device.js'
import type { CredentialMemory } from './credential-memory.js'

type Memory = Pick<CredentialMemory, 'typed' | 'pressed'>

export const rememberingText = (way: TextWay, memory: Memory): TextWay => ({
  name: way.name,
  does: way.does,
  takes: (text) => way.takes(text),
  limitMs: (text) => way.limitMs(text),
  send(text, field, progress) {
    memory.typed(text, performance.now())
    return way.send(text, field, progress)
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
