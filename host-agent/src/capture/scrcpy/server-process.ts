/**
 * Starts a scrcpy server on a phone and connects to its sockets. Used for the control
 * instance (`control-socket.ts`) and the video instance (`../video-socket.ts`).
 *
 * Start (scrcpy `doc/develop.md`): `CLASSPATH=… app_process /
 * com.genymobile.scrcpy.Server VERSION key=value…`; with `tunnel_forward=true` the
 * server listens on `localabstract:scrcpy_<scid>` and accepts its sockets in the order
 * video, audio, control. The first socket sends one zero byte once it is accepted, and
 * 64 bytes of device name once all are connected.
 */
import { createHash, randomBytes } from 'node:crypto'
import { ApiError, DeadlineExceeded, type Progress } from '@phonerack/shared'
import { describeEnd, drain } from '../../adb/drain.js'
import { AdbConnectionLost } from '../../adb/errors.js'
import { command, sequence } from '../../adb/quote.js'
import type { AdbSocket } from '../../adb/socket.js'
import type { Transport } from '../../adb/transport.js'
import { DeviceGone } from '../../adb/device/device.js'
import { phoneFolder } from '../../adb/device/phone-folder.js'
import { createLastLine } from '../../base/last-line.js'
import { redactOutput } from '../../base/redact.js'
import { scrcpySha256, scrcpyVersion, type Jar } from './jar.js'

/** The command without the jar, which is passed as `CLASSPATH`, and without the options, which follow. */
export const serverCommand = ['app_process', '/', 'com.genymobile.scrcpy.Server', scrcpyVersion] as const

/** The jar's path on a phone contains its hash, so that versions can coexist. */
export const jarPathOf = (jar: Jar): string => `${phoneFolder}/scrcpy-server-${jar.sha256.slice(0, 16)}.jar`

/**
 * Pushes the jar unless the phone has the same bytes, and returns its path there. Checks the local
 * bytes each time.
 */
export async function putJar(transport: Transport, jar: Jar, progress: Progress): Promise<string> {
  const path = jarPathOf(jar)
  const actual = createHash('sha256').update(jar.content).digest('hex')
  if (actual !== scrcpySha256) throw new Error('the scrcpy server in memory is not the released server')
  const there = await transport.shell(command('sha256sum', path), progress)
  if (there.exitCode === 0 && there.stdout.toString('utf8').startsWith(jar.sha256)) return path
  await transport.shell(command('mkdir', '-p', phoneFolder), progress)
  await transport.push(path, jar.content, 0o644, progress)
  return path
}

/**
 * A started server. It does nothing until all its sockets are connected, and waits for
 * them indefinitely.
 */
export interface LaunchedServer {
  /** The name of the server's socket on the phone. */
  name: string
  /** The stream of the server's shell. Closing the stream ends the server. */
  server: AdbSocket
  output: ServerOutput
}

interface StartedServer extends LaunchedServer {
  /** As many sockets as requested, in the server's order. */
  sockets: readonly AdbSocket[]
  deviceName: string
}

/**
 * `options`: which sockets the server opens and what they carry.
 *
 * `exec` replaces the phone's shell with the server: adbd ends only the process that it started itself, and a server
 * that waits for its sockets would outlive its shell.
 */
export async function launchServer(
  transport: Transport,
  jarPath: string,
  options: readonly string[],
  progress: Progress,
): Promise<LaunchedServer> {
  const scid = (randomBytes(4).readUInt32BE() & 0x7fffffff).toString(16).padStart(8, '0')
  const server = await transport.spawn(
    sequence(
      command('export', `CLASSPATH=${jarPath}`),
      command(
        'exec',
        ...serverCommand,
        `scid=${scid}`,
        'log_level=info',
        'tunnel_forward=true',
        'clipboard_autosync=false',
        'cleanup=false',
        'power_on=false',
        ...options,
      ),
    ),
    progress,
  )
  return { name: `scrcpy_${scid}`, server, output: read(server) }
}

/**
 * Opens `count` sockets of the server as soon as it listens. The server starts its work when the last socket is
 * connected. Ends the server on failure.
 */
export async function connectTo(
  transport: Transport,
  launched: LaunchedServer,
  count: number,
  progress: Progress,
): Promise<StartedServer> {
  const { name, server, output } = launched
  const sockets: AdbSocket[] = []
  try {
    const first = await connectWhenReady(transport, name, output, progress)
    sockets.push(first)
    while (sockets.length < count) sockets.push(await transport.connectAbstract(name, progress))
    return { ...launched, sockets, deviceName: await readName(first, progress) }
  } catch (error) {
    for (const socket of sockets) socket.close()
    server.close()
    throw output.lastLine === '' || error instanceof DeadlineExceeded || error instanceof DeviceGone
      ? error
      : startFailed(output.lastLine, error)
  }
}

/** @param reason the server's output, redacted */
export const startFailed = (reason: string, cause?: unknown): ApiError =>
  new ApiError('provider_error', {
    message: `The scrcpy server on the phone did not start: ${reason}`,
    ...(cause === undefined ? {} : { cause }),
  })

/** Starts a server and opens its `count` sockets. */
export async function startServer(
  transport: Transport,
  jarPath: string,
  options: readonly string[],
  count: number,
  progress: Progress,
): Promise<StartedServer> {
  const launched = await launchServer(transport, jarPath, options, progress)
  return connectTo(transport, launched, count, progress)
}

/** The server's output on the phone, and its end. */
export interface ServerOutput {
  readonly lastLine: string
  /** Resolves with the reason; never rejects. */
  readonly ended: Promise<string>
  readonly over: boolean
}

function read(server: AdbSocket): ServerOutput {
  const output = createLastLine()
  const lastLine = () => redactOutput(output.text)
  const drained = drain(server, output.add)
  return {
    ended: drained.ended.then((end) => describeEnd(end, 'the scrcpy server', lastLine())),
    get lastLine() {
      return lastLine()
    },
    get over() {
      return drained.over
    },
  }
}

/** Retries until the server listens. */
async function connectWhenReady(
  transport: Transport,
  name: string,
  output: ServerOutput,
  progress: Progress,
): Promise<AdbSocket> {
  const over = () => output.over
  for (;;) {
    if (over()) throw startFailed(await output.ended)
    try {
      const socket = await transport.connectAbstract(name, progress)
      // Through adb a connection can open before the server accepts; the byte confirms
      // that it did.
      const first = await readOr(socket, 1, progress)
      if (first?.[0] === 0) return socket
      socket.close()
    } catch (error) {
      // adb answers "closed" while nothing listens, as for a disconnected device.
      if (!(error instanceof DeviceGone)) throw error
      if (over()) throw error
    }
    await progress.sleep(30, 'start of the scrcpy server')
  }
}

/** Null when the stream ends before `length` bytes. */
async function readOr(socket: AdbSocket, length: number, progress: Progress): Promise<Buffer | null> {
  const forget = progress.onAbort(() => socket.close())
  try {
    return await socket.read(length)
  } catch (error) {
    progress.check('start of the scrcpy server')
    if (error instanceof AdbConnectionLost) return null
    throw error
  } finally {
    forget()
  }
}

async function readName(socket: AdbSocket, progress: Progress): Promise<string> {
  const bytes = await readOr(socket, 64, progress)
  if (bytes === null) throw startFailed('the scrcpy server closed the control socket')
  const end = bytes.indexOf(0)
  return bytes.toString('utf8', 0, end < 0 ? 64 : end)
}
