/** Reads control messages like scrcpy 4.1: the messages of 3.3.3 and five more. */
import { readString, type ControlMessage, type ReadExactly } from '../control-message.js'
import { readBody as readBodyOf3 } from '../v3_3_3/control-message.js'

/** Reads the rest of a message whose type byte was read. @throws ControlProtocolError for a type that 4.1 does not have */
export async function readBody(type: number, read: ReadExactly): Promise<ControlMessage> {
  switch (type) {
    case 18:
      return { type: 'camera_set_torch', on: (await read(1)).readUInt8(0) !== 0 }
    case 19:
      return { type: 'camera_zoom_in' }
    case 20:
      return { type: 'camera_zoom_out' }
    case 21: {
      const data = await read(4)
      return { type: 'resize_display', width: data.readUInt16BE(0), height: data.readUInt16BE(2) }
    }
    case 22:
      return { type: 'scan_file', path: await readString(read, 4) }
    default:
      return readBodyOf3(type, read)
  }
}
