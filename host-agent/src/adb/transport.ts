/**
 * Access to one device through the adb server: shell, exec, sync, streams to sockets on the phone. All other code of
 * the agent reaches phones through this file. An unreachable phone is `DeviceGone`.
 */
import { DeadlineExceeded, ownNow, type Progress } from '@phonerack/shared'
import { DeviceGone, InvalidAnswer, isDisconnect } from '../base/device-gone.js'
import type { AdbClient } from './client.js'
import { AdbConnectionLost, AdbProtocolError, AdbRefused } from './errors.js'
import type { ShellCommand } from './quote.js'
import { feedShell, readShellPackets, type ShellResult } from './shell-protocol.js'
import type { AdbSocket } from './socket.js'
import {
  listFolder,
  pullFile,
  pushFile,
  statFile,
  statFile2,
  type FileStat,
  type FolderEntry,
} from './sync.js'
import { pin, type Target, type TransportId } from './target.js'

/**
 * Maximum bytes of output of one command, so that a phone cannot exhaust the agent's memory, or its time by
 * parsing. Raw output consists of pictures and trees, whose readers have limits.
 */
const outputLimits = { shell: 8 << 20, raw: 64 << 20 }

export interface Transport {
  readonly serial: string
  /**
   * Returns a transport to the phone that is connected now, for related steps: its calls throw `DeviceGone` once the
   * serial has another connection.
   */
  pinned(): Transport
  /** Runs a command to its end (shell v2: separate stdout and stderr, exit code). */
  shell(command: ShellCommand, progress: Progress): Promise<ShellResult>
  /** Like `shell`, with `input` as stdin; applies back-pressure. */
  feed(command: ShellCommand, input: AsyncIterable<Uint8Array>, progress: Progress): Promise<ShellResult>
  /** Runs a command and returns its raw output, without an exit code (`exec:`). */
  exec(command: ShellCommand, progress: Progress): Promise<Buffer>
  /** Starts a command that continues after `progress`. The caller closes the stream. */
  spawn(command: ShellCommand, progress: Progress): Promise<AdbSocket>
  push(path: string, content: Uint8Array, mode: number, progress: Progress): Promise<void>
  /** Null when the file does not exist. */
  stat(path: string, progress: Progress): Promise<FileStat | null>
  /** Does not follow symbolic links. Null when the file does not exist. */
  lstat(path: string, progress: Progress): Promise<FileStat | null>
  /** Calls `visit` for each entry of a folder until `visit` returns false. */
  list(path: string, progress: Progress, visit: (entry: FolderEntry) => boolean): Promise<void>
  /** Reads the first `limit` bytes of a file. */
  pull(path: string, limit: number, progress: Progress): Promise<Buffer>
  /** Connects to an abstract socket on the phone. The caller must close the stream. */
  connectAbstract(name: string, progress: Progress): Promise<AdbSocket>
  /** Connects to a TCP port on the phone's loopback interface. The caller must close the stream. */
  connectTcp(port: number, progress: Progress): Promise<AdbSocket>
  /** Requests a restart. Returns once the phone has accepted it. */
  reboot(progress: Progress): Promise<void>
  /** Makes the adb server reopen its connection to the phone. */
  reconnect(progress: Progress): Promise<void>
}

/** The server's messages for an unreachable device. */
const gone =
  /device '.*' not found|device not found|no device with transport id|device offline|device unauthorized|device still|no devices|closed|cannot connect/i

/** Milliseconds. A call that times out counts as hung only if its deadline was at least this long. */
const hangMs = 1500

/** The features of each connection. */
const features = new WeakMap<TransportId, ReadonlySet<string>>()

/**
 * `onOutcome` gets the outcome of each call: `answered`, or `hung` after a timeout. It is not called for an
 * unreachable phone.
 */
export function createTransport(
  client: AdbClient,
  target: Target,
  onOutcome: (outcome: 'answered' | 'hung') => void = () => undefined,
): Transport {
  const { serial } = target

  function translate(error: unknown): unknown {
    if (error instanceof DeadlineExceeded) return error
    if (error instanceof AdbConnectionLost) return new DeviceGone(serial, error)
    if (error instanceof AdbProtocolError) return new InvalidAnswer(serial, error)
    if (error instanceof AdbRefused && gone.test(error.answer)) return new DeviceGone(serial, error)
    return error
  }

  /** Calls with the device that is connected now, and translates errors. */
  async function connected<T>(call: (device: TransportId) => Promise<T>): Promise<T> {
    if (target.current === null) throw new DeviceGone(serial)
    try {
      return await call(target.current)
    } catch (error) {
      throw translate(error)
    }
  }

  /** Like `connected`, and also reports the outcome of the call. */
  async function watched<T>(progress: Progress, call: (device: TransportId) => Promise<T>): Promise<T> {
    const startedAt = ownNow()
    try {
      const result = await connected(call)
      onOutcome('answered')
      return result
    } catch (error) {
      // A call that its caller aborted says nothing about the phone.
      const late = error instanceof DeadlineExceeded && progress.remaining === 0
      if (late && ownNow() - startedAt >= hangMs) onOutcome('hung')
      else if (!(error instanceof DeadlineExceeded) && !isDisconnect(error)) onOutcome('answered')
      throw error
    }
  }

  const run = <T>(service: string, progress: Progress, work: (stream: AdbSocket) => Promise<T>): Promise<T> =>
    watched(progress, (device) => client.call(service, device, progress, work))

  const open = (service: string, progress: Progress): Promise<AdbSocket> =>
    watched(progress, (device) => client.open(service, device, progress))

  /** Whether the phone supports `feature`. */
  const supports = (feature: string, progress: Progress): Promise<boolean> =>
    connected(async (device) => {
      const known = features.get(device) ?? (await client.features(device, progress))
      features.set(device, known)
      return known.has(feature)
    })

  return {
    serial,
    pinned: () => createTransport(client, pin(target), onOutcome),
    shell: (command, progress) =>
      run(shellService(command), progress, (stream) => readShellPackets(stream, outputLimits.shell)),
    feed: (command, input, progress) =>
      run(shellService(command), progress, (stream) => feedShell(stream, input, outputLimits.shell)),
    exec: (command, progress) =>
      run(`exec:${command}`, progress, (stream) => stream.readAll(outputLimits.raw)),
    spawn: (command, progress) => open(shellService(command), progress),
    push: (path, content, mode, progress) =>
      run('sync:', progress, (stream) => pushFile(stream, path, content, mode)),
    stat: (path, progress) => run('sync:', progress, (stream) => statFile(stream, path)),
    async lstat(path, progress) {
      const read = (await supports('stat_v2', progress)) ? statFile2 : statFile
      return run('sync:', progress, (stream) => read(stream, path))
    },
    async list(path, progress, visit) {
      const version = (await supports('ls_v2', progress)) ? 2 : 1
      return run('sync:', progress, (stream) => listFolder(stream, path, version, visit))
    },
    pull: (path, limit, progress) => run('sync:', progress, (stream) => pullFile(stream, path, limit)),
    connectAbstract: (name, progress) => open(`localabstract:${name}`, progress),
    connectTcp: (port, progress) => open(`tcp:${port}`, progress),
    reboot: (progress) => run('reboot:', progress, () => Promise.resolve()),
    reconnect: (progress) => connected((device) => client.reconnect(device, progress)),
  }
}

/** Returns the service of shell protocol v2, without a terminal. */
const shellService = (command: ShellCommand): string => `shell,v2,raw:${command}`
