/**
 * One running scrcpy server and its control socket: no video, no audio. Sends
 * control messages and matches answers. `keeper.ts` starts it again when it dies.
 *
 * Start (scrcpy `doc/develop.md`): `CLASSPATH=… app_process / com.genymobile.scrcpy.Server VERSION key=value…`;
 * with `tunnel_forward=true` the server listens on `localabstract:scrcpy_<scid>`, and the first socket
 * gives one zero byte once it was accepted, then 64 bytes of device name.
 */
import { randomBytes } from 'node:crypto'
import { DeadlineExceeded, type Logger, type Progress } from '@phonerack/shared'
import { AdbConnectionLost } from '../adb/errors.js'
import { commandWith } from '../adb/quote.js'
import { readShellPacket } from '../adb/shell-protocol.js'
import type { AdbSocket } from '../adb/socket.js'
import type { Transport } from '../adb/transport.js'
import { DeviceGone } from '../device/device.js'
import { later } from '../later.js'
import { scrcpyVersion } from './jar.js'
import { getClipboardMessage, parseDeviceMessages, setClipboardMessage } from './messages.js'

/** With the jar as `CLASSPATH`; options follow. */
export const serverCommand = ['app_process', '/', 'com.genymobile.scrcpy.Server', scrcpyVersion] as const

/** Milliseconds within which a phone that holds text answers GET_CLIPBOARD; an empty one never answers. */
const clipboardAnswerMs = 700

export interface ControlSocket {
  /** As the server gave it. */
  readonly deviceName: string
  readonly closed: boolean
  /** Resolves with the reason when it ends. */
  readonly ended: Promise<string>
  /** Aborts when it ends, for those who wait in between. */
  readonly lost: AbortSignal
  /** Hands messages to the connection. @throws DeviceGone */
  send(messages: Uint8Array): Promise<void>
  /** Null: empty, or refused; the server does not say which. */
  getClipboard(progress: Progress): Promise<string | null>
  /** Returns once the server acknowledged; that says it tried, not that the clipboard holds it. */
  setClipboard(text: string, paste: boolean, progress: Progress): Promise<void>
  close(): void
}

/** Starts a server from the jar at `jarPath` on the phone and connects to it. */
export async function openControlSocket(
  transport: Transport,
  jarPath: string,
  log: Logger,
  progress: Progress,
): Promise<ControlSocket> {
  const scid = (randomBytes(4).readUInt32BE() & 0x7fffffff).toString(16).padStart(8, '0')
  const server = await transport.spawn(
    commandWith(
      { CLASSPATH: jarPath },
      ...serverCommand,
      `scid=${scid}`,
      'log_level=info',
      'tunnel_forward=true',
      'video=false',
      'audio=false',
      'control=true',
      'clipboard_autosync=false',
      'cleanup=false',
      'power_on=false',
    ),
    progress,
  )
  const output = drain(server)
  try {
    const socket = await connectWhenReady(transport, `scrcpy_${scid}`, output, progress)
    const name = await readName(socket, progress)
    return wrap(transport.serial, name, server, socket, output, log)
  } catch (error) {
    server.close()
    throw output.lastLine === '' || error instanceof DeadlineExceeded || error instanceof DeviceGone
      ? error
      : new Error(`scrcpy server did not start: ${output.lastLine}`, { cause: error })
  }
}

interface Output {
  readonly lastLine: string
  readonly ended: Promise<string>
  readonly over: boolean
}

/** Reads what the server prints, so that it never blocks, and knows when it ended. */
function drain(server: AdbSocket): Output {
  let lastLine = ''
  let over = false
  const read = async (): Promise<string> => {
    try {
      for (;;) {
        const { id, data } = await readShellPacket(server)
        if (id === 3) return `scrcpy server exited with ${String(data[0])}: ${lastLine}`
        lastLine = data.toString('utf8').trim().split('\n').at(-1)?.slice(0, 300) ?? lastLine
      }
    } catch (error) {
      if (error instanceof AdbConnectionLost) return 'the connection to the scrcpy server ended'
      throw error
    } finally {
      over = true
    }
  }
  return {
    ended: read(),
    get lastLine() {
      return lastLine
    },
    get over() {
      return over
    },
  }
}

/** The server needs a moment until it listens; adb accepts the stream only then. */
async function connectWhenReady(
  transport: Transport,
  name: string,
  output: Output,
  progress: Progress,
): Promise<AdbSocket> {
  const over = () => output.over
  for (;;) {
    if (over()) throw new Error(await output.ended)
    try {
      const socket = await transport.connectAbstract(name, progress)
      // Through adb a connection can open before the server accepts; the byte proves that it did.
      const first = await readOr(socket, 1, progress)
      if (first?.[0] === 0) return socket
      socket.close()
    } catch (error) {
      // "closed" is how adb says that nobody listens there yet: the same words as for a device that left.
      if (!(error instanceof DeviceGone)) throw error
      if (over()) throw error
    }
    await progress.sleep(30, 'start of the scrcpy server')
  }
}

/** Null when the stream ended before. */
async function readOr(socket: AdbSocket, length: number, progress: Progress): Promise<Buffer | null> {
  const onAbort = () => socket.close()
  progress.signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await socket.read(length)
  } catch (error) {
    progress.check('start of the scrcpy server')
    if (error instanceof AdbConnectionLost) return null
    throw error
  } finally {
    progress.signal.removeEventListener('abort', onAbort)
  }
}

async function readName(socket: AdbSocket, progress: Progress): Promise<string> {
  const bytes = await readOr(socket, 64, progress)
  if (bytes === null) throw new Error('the scrcpy server closed the control socket')
  const end = bytes.indexOf(0)
  return bytes.toString('utf8', 0, end < 0 ? 64 : end)
}

function wrap(
  serial: string,
  deviceName: string,
  server: AdbSocket,
  socket: AdbSocket,
  output: Output,
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
  void ended.then((reason) => log.debug({ reason }, 'scrcpy control ended'))

  const control: ControlSocket = {
    deviceName,
    ended,
    lost: lost.signal,
    get closed() {
      return socket.closed || output.over
    },
    async send(messages) {
      if (control.closed) throw new DeviceGone(serial)
      try {
        await socket.write(messages)
      } catch (error) {
        throw error instanceof AdbConnectionLost ? new DeviceGone(serial, error) : error
      }
    },
    async getClipboard(progress) {
      const answer = later<string>()
      clipboardWaiters.add(answer.resolve)
      try {
        await control.send(getClipboardMessage())
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
        await control.send(setClipboardMessage(number, paste, text))
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
