/**
 * Control messages, client to phone, of all protocol versions, and the common parts of their
 * readers (`v3_3_3/`, `v4_1/`): a type byte, then big-endian fields.
 * Strings are UTF-8 after their length. Used by `server.ts` and `controller.ts`.
 */

export interface Position {
  x: number
  y: number
  /** The screen size that the client assumes. */
  screenWidth: number
  screenHeight: number
}

export type ControlMessage =
  | { type: 'inject_keycode'; action: number; keycode: number; repeat: number; metaState: number }
  | { type: 'inject_text'; text: string }
  | {
      type: 'inject_touch_event'
      action: number
      pointerId: bigint
      position: Position
      pressure: number
      actionButton: number
      buttons: number
    }
  | { type: 'inject_scroll_event'; position: Position; horizontal: number; vertical: number; buttons: number }
  | { type: 'back_or_screen_on'; action: number }
  | { type: 'expand_notification_panel' }
  | { type: 'expand_settings_panel' }
  | { type: 'collapse_panels' }
  | { type: 'get_clipboard'; copyKey: 'none' | 'copy' | 'cut' }
  | { type: 'set_clipboard'; sequence: bigint; paste: boolean; text: string }
  | { type: 'set_display_power'; on: boolean }
  | { type: 'rotate_device' }
  | {
      type: 'uhid_create'
      id: number
      vendorId: number
      productId: number
      name: string
      reportDescriptor: Buffer
    }
  | { type: 'uhid_input'; id: number; data: Buffer }
  | { type: 'uhid_destroy'; id: number }
  | { type: 'open_hard_keyboard_settings' }
  | { type: 'start_app'; name: string }
  | { type: 'reset_video' }
  | { type: 'camera_set_torch'; on: boolean }
  | { type: 'camera_zoom_in' }
  | { type: 'camera_zoom_out' }
  | { type: 'resize_display'; width: number; height: number }
  | { type: 'scan_file'; path: string }

/** The stream contains an invalid control message; the server ends. */
export class ControlProtocolError extends Error {
  override name = 'ControlProtocolError'
}

/** Returns exactly the next `length` bytes of the stream; rejects at its end. */
export type ReadExactly = (length: number) => Promise<Buffer>

/** Reads bytes after their big-endian length. */
export async function readBytes(read: ReadExactly, lengthBytes: 1 | 2 | 4): Promise<Buffer> {
  const length = (await read(lengthBytes)).readUIntBE(0, lengthBytes)
  return length === 0 ? Buffer.alloc(0) : read(length)
}

/** Reads UTF-8 after its big-endian length. */
export const readString = async (read: ReadExactly, lengthBytes: 1 | 4): Promise<string> =>
  (await readBytes(read, lengthBytes)).toString('utf8')
