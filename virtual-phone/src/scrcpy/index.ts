/**
 * The scrcpy 3.3.3 server's side: what `app_process` starts when a client asks
 * for `com.genymobile.scrcpy.Server`. Control only: a client that wants video
 * is refused in the server's way. Called by the shell's `app_process`.
 */
import { model as deviceModel } from '../android/identity.js'
import { type ScrcpyInvocation } from '../android/program.js'
import { type Duplex } from '../android/streams.js'
import { openConnection } from './connection.js'
import { ControlProtocolError, readControlMessage, type ReadExactly } from './control-message.js'
import { Controller } from './controller.js'
import { truncateUtf8, writeDeviceMessage } from './device-message.js'
import { ServerLog } from './log.js'
import { OptionError, parseOptions, type ScrcpyOptions } from './options.js'

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

async function serveControl(
  stream: Duplex,
  invocation: ScrcpyInvocation,
  options: ScrcpyOptions,
  log: ServerLog,
): Promise<void> {
  let tail: Promise<void> = Promise.resolve()
  const controller = new Controller({
    world: invocation.world,
    options,
    log: (level, text) => {
      log.print(level, text)
    },
    send: (message) => {
      const data = writeDeviceMessage(message)
      // A client that is gone ends the reader below as well.
      tail = tail
        .then(() => stream.write(data))
        .catch((error: unknown) => {
          log.print('debug', `Device message not sent: ${String(error)}`)
        })
    },
  })
  const read = exactReader(stream)
  try {
    while (!invocation.signal.aborted) controller.handle(await readControlMessage(read))
  } catch (error) {
    if (error instanceof ControlProtocolError) log.print('error', `Controller error\n${error.message}`)
    else if (!(error instanceof EndOfStream)) throw error
  } finally {
    controller.close()
    await tail
  }
}

async function serve(invocation: ScrcpyInvocation, options: ScrcpyOptions, log: ServerLog): Promise<void> {
  const { sockets, signal, world, model } = invocation
  const connection = await openConnection(sockets, options, signal)
  const closeAll = (): void => {
    for (const stream of connection.all) stream.close()
  }
  signal.addEventListener('abort', closeAll, { once: true })
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
    if (connection.control) await serveControl(connection.control, invocation, options, log)
    else await connection.audio?.closed
  } finally {
    signal.removeEventListener('abort', closeAll)
    closeAll()
    if (options.cleanup && options.powerOffOnClose) world.sleep()
  }
}

function listApps(invocation: ScrcpyInvocation): string {
  const lines = invocation.world
    .launchableApps()
    .map((app) => ` ${app.system ? '*' : '-'} ${app.label.padEnd(30)} ${app.package}`)
  return `List of apps:\n${lines.map((line) => `   ${line}`).join('\n')}`
}

/** Resolves with the exit code when the server ends: 0, or 1 after an error that it printed. */
export async function runScrcpyServer(invocation: ScrcpyInvocation): Promise<number> {
  const log = new ServerLog(invocation.stdout, invocation.stderr)
  try {
    const options = parseOptions(invocation.args)
    log.threshold = options.logLevel
    for (const key of options.unknown) log.print('warn', `Unknown server option: ${key}`)
    log.print(
      'info',
      `Device: [${deviceModel.maker}] ${deviceModel.maker} ${invocation.model} (Android ${deviceModel.release})`,
    )
    if (options.cleanup) await invocation.removeJar()
    if (options.lists.length > 0) {
      if (options.lists.includes('list_apps')) log.print('info', listApps(invocation))
      for (const list of options.lists)
        if (list !== 'list_apps') log.print('warn', `${list} has nothing to list on this device`)
      return 0
    }
    if (options.video) {
      log.print('error', 'Video capture is not possible on this device: it has no video encoder')
      return 1
    }
    await serve(invocation, options, log)
    return 0
  } catch (error) {
    if (invocation.signal.aborted) return 0
    const text = error instanceof Error ? error.message : String(error)
    const trace = error instanceof OptionError ? `\njava.lang.IllegalArgumentException: ${text}` : ''
    log.print('error', text + trace)
    return 1
  } finally {
    await log.flushed()
  }
}
