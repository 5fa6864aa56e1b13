/**
 * Serves one scrcpy client: its sockets, until the first socket of video and control ends (`Server`). Used by
 * `index.ts`.
 */
import { type ScrcpyInvocation } from '../android/program.js'
import { type Duplex } from '../android/streams.js'
import { openConnection } from './connection.js'
import { ControlProtocolError, type ReadExactly } from './control-message.js'
import { Controller } from './controller.js'
import { truncateUtf8, writeDeviceMessage } from './device-message.js'
import { type ServerLog } from './log.js'
import { type ScrcpyOptions } from './options.js'
import { type ScrcpyProtocol } from './protocol.js'
import { VideoStream } from './video.js'

const DEVICE_NAME_BYTES = 64
/** The audio socket's first four bytes when the phone cannot capture audio. */
const AUDIO_DISABLED = Buffer.alloc(4)

/** The stream ended between two messages, or inside one. */
class EndOfStream extends Error {
  override name = 'EndOfStream'
}

function exactReader(stream: Duplex): ReadExactly {
  let held: Buffer = Buffer.alloc(0)
  return async (length) => {
    const parts = [held]
    let size = held.length
    while (size < length) {
      const chunk = await stream.read()
      if (chunk === null) throw new EndOfStream()
      parts.push(chunk)
      size += chunk.length
    }
    const whole = Buffer.concat(parts)
    held = whole.subarray(length)
    return whole.subarray(0, length)
  }
}

interface Serving {
  invocation: ScrcpyInvocation
  options: ScrcpyOptions
  protocol: ScrcpyProtocol
  video: VideoStream | null
  log: ServerLog
}

async function serveControl(
  stream: Duplex,
  { invocation, options, protocol, video, log }: Serving,
): Promise<void> {
  let tail: Promise<void> = Promise.resolve()
  const controller = new Controller({
    world: invocation.world,
    options,
    video,
    log: (level, text) => {
      log.print(level, text)
    },
    send: (message) => {
      const data = writeDeviceMessage(message)
      // A disconnected client ends the reader below too.
      tail = tail
        .then(() => stream.write(data))
        .catch((error: unknown) => {
          log.print('debug', `Device message not sent: ${String(error)}`)
        })
    },
  })
  const read = exactReader(stream)
  try {
    while (!invocation.signal.aborted) controller.handle(await protocol.readControlMessage(read))
  } catch (error) {
    if (error instanceof ControlProtocolError) log.print('error', `Controller error\n${error.message}`)
    else if (!(error instanceof EndOfStream)) throw error
  } finally {
    controller.close()
    await tail
  }
}

/** Resolves when the client has disconnected or has sent an invalid message. */
export async function serve(
  invocation: ScrcpyInvocation,
  options: ScrcpyOptions,
  protocol: ScrcpyProtocol,
  log: ServerLog,
): Promise<void> {
  const { sockets, signal, world, model } = invocation
  const connection = await openConnection(sockets, options, signal)
  const video = connection.video && new VideoStream(connection.video, invocation, options, protocol, log)
  const end = (): void => {
    video?.stop()
    for (const stream of connection.all) stream.close()
  }
  signal.addEventListener('abort', end, { once: true })
  const running: Promise<void>[] = []
  try {
    if (options.sendDeviceMeta) {
      const name = Buffer.alloc(DEVICE_NAME_BYTES)
      truncateUtf8(Buffer.from(model, 'utf8'), DEVICE_NAME_BYTES - 1).copy(name)
      await connection.all[0]?.write(name)
    }
    if (connection.audio) {
      log.print('error', 'Audio capture is not possible on this device')
      await connection.audio.write(AUDIO_DISABLED)
    }
    if (connection.control)
      running.push(serveControl(connection.control, { invocation, options, protocol, video, log }))
    if (video) running.push(video.run())
    await Promise.race(running)
  } finally {
    signal.removeEventListener('abort', end)
    end()
    await Promise.all(running)
    if (options.cleanup && options.powerOffOnClose) world.sleep()
  }
}
