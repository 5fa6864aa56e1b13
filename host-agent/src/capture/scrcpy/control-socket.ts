/**
 * One running scrcpy server and its control socket: no video, no audio. Sends control
 * messages and matches answers. `keeper.ts` restarts it when it dies.
 */
import { DeadlineExceeded, type Logger, type Progress } from '@phonerack/shared'
import { AdbConnectionLost } from '../../adb/errors.js'
import type { AdbSocket } from '../../adb/socket.js'
import type { Transport } from '../../adb/transport.js'
import { DeviceGone } from '../../adb/device/device.js'
import { later } from '../../base/later.js'
import { getClipboardMessage, parseDeviceMessages, setClipboardMessage } from './messages.js'
import { startServer, type ServerOutput } from './server-process.js'

/**
 * Milliseconds within which a phone with text in its clipboard answers GET_CLIPBOARD. A phone with an empty clipboard
 * never answers.
 */
const clipboardAnswerMs = 700

export interface ControlSocket {
  /** The name that the server sent. */
  readonly deviceName: string
  readonly closed: boolean
  /** Resolves with the reason when the socket ends. */
  readonly ended: Promise<string>
  /** Aborts when the socket ends, for callers that are waiting. */
  readonly lost: AbortSignal
  /** Writes messages to the connection, and closes it when the phone has not read them at the deadline. @throws DeviceGone, DeadlineExceeded */
  send(messages: Uint8Array, progress: Progress): Promise<void>
  /** Null when the clipboard is empty or cannot be read; the server does not distinguish these cases. */
  getClipboard(progress: Progress): Promise<string | null>
  /**
   * Returns once the server acknowledged. An acknowledgement means that the server
   * tried, not that the clipboard holds the text.
   */
  setClipboard(text: string, paste: boolean, progress: Progress): Promise<void>
  close(): void
}

const sending = 'sending input'

/** Starts a server from the jar at `jarPath` on the phone and connects to it. */
export async function openControlSocket(
  transport: Transport,
  jarPath: string,
  log: Logger,
  progress: Progress,
): Promise<ControlSocket> {
  const options = ['video=false', 'audio=false', 'control=true']
  const { server, sockets, deviceName, output } = await startServer(transport, jarPath, options, 1, progress)
  const [socket] = sockets
  if (!socket) throw new Error('the scrcpy server has no control socket')
  return wrap(transport.serial, deviceName, server, socket, output, log)
}

function wrap(
  serial: string,
  deviceName: string,
  server: AdbSocket,
  socket: AdbSocket,
  output: ServerOutput,
  log: Logger,
): ControlSocket {
  const acks = new Map<bigint, () => void>()
  const clipboardWaiters = new Set<(text: string) => void>()
  let sequence = 0n

  const reading = (async () => {
    let pending: Buffer = Buffer.alloc(0)
    try {
      for (;;) {
        const chunk = await socket.readSome()
        if (chunk === null) return 'the control socket ended'
        const { messages, rest } = parseDeviceMessages(Buffer.concat([pending, chunk]))
        pending = rest
        for (const message of messages) {
          if (message.type === 'clipboard') for (const waiter of clipboardWaiters) waiter(message.text)
          if (message.type === 'clipboard_ack') acks.get(message.sequence)?.()
        }
      }
    } catch (error) {
      if (error instanceof AdbConnectionLost) return error.message
      if (error instanceof RangeError) return `the control socket cannot be read: ${error.message}`
      throw error
    }
  })()

  const lost = new AbortController()
  const ended = Promise.race([reading, output.ended]).finally(() => {
    socket.close()
    server.close()
    lost.abort()
  })
  void ended.then((reason) => log.debug({ reason }, 'the control socket of a scrcpy server ended'))

  const control: ControlSocket = {
    deviceName,
    ended,
    lost: lost.signal,
    get closed() {
      return socket.closed || output.over
    },
    async send(messages, progress) {
      if (control.closed) throw new DeviceGone(serial)
      progress.check(sending)
      try {
        // A race for each send makes a batch of twenty taps 9 % slower.
        if (!socket.enqueue(messages)) await progress.race(sending, () => socket.drained())
      } catch (error) {
        // After an abort the messages are still written as a whole.
        if (error instanceof DeadlineExceeded && progress.remaining === 0) control.close()
        throw error instanceof AdbConnectionLost ? new DeviceGone(serial, error) : error
      }
    },
    async getClipboard(progress) {
      const answer = later<string>()
      clipboardWaiters.add(answer.resolve)
      try {
        await control.send(getClipboardMessage(), progress)
        return await progress.within(clipboardAnswerMs).race('reading the clipboard', () => answer.promise)
      } catch (error) {
        if (!(error instanceof DeadlineExceeded)) throw error
        progress.check('reading the clipboard')
        return null
      } finally {
        clipboardWaiters.delete(answer.resolve)
      }
    },
    async setClipboard(text, paste, progress) {
      const number = ++sequence
      const answer = later<undefined>()
      acks.set(number, () => answer.resolve(undefined))
      try {
        await control.send(setClipboardMessage(number, paste, text), progress)
        await progress.race('setting the clipboard', () =>
          Promise.race([
            answer.promise,
            ended.then((reason) => Promise.reject(new DeviceGone(serial, new Error(reason)))),
          ]),
        )
      } finally {
        acks.delete(number)
      }
    },
    close() {
      socket.close()
      server.close()
    },
  }
  return control
}
