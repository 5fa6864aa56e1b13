/** A person's live input through scrcpy's control socket, one message per event. */
import type { LiveInput, Size } from '../../adb/device/device.js'
import type { ScrcpyKeeper } from './keeper.js'
import { keyMessage, rotateMessage, scrollMessage, touchMessage } from './messages.js'

/** A server without video uses points unchanged. */
const anySize: Size = { width: 0xffff, height: 0xffff }

export function createLiveInput(keeper: ScrcpyKeeper): LiveInput {
  return {
    async touch(phase, pointer, point, progress) {
      await (await keeper.socket(progress)).send(touchMessage(phase, pointer, point, anySize), progress)
    },
    async key(down, keyCode, metaState, repeat, progress) {
      const message = keyMessage(down ? 'down' : 'up', keyCode, metaState, repeat)
      await (await keeper.socket(progress)).send(message, progress)
    },
    async scroll(point, horizontal, vertical, progress) {
      await (
        await keeper.socket(progress)
      ).send(scrollMessage(point, anySize, horizontal, vertical), progress)
    },
    async rotate(progress) {
      await (await keeper.socket(progress)).send(rotateMessage(), progress)
    },
  }
}
