/** Checks that a phone's clipboard can be set and read. Used by the enrolment's probe and after a wipe. */
import { randomBytes } from 'node:crypto'
import type { Progress } from '@phonerack/shared'
import type { ControlSocket } from './control-socket.js'

/** Sets a text, reads it back and empties the clipboard. */
export async function proveClipboard(control: ControlSocket, progress: Progress): Promise<boolean> {
  const text = `phonerack ${randomBytes(6).toString('hex')} é漢😀`
  await control.setClipboard(text, false, progress)
  const found = await control.getClipboard(progress)
  await control.setClipboard('', false, progress)
  return found === text
}
