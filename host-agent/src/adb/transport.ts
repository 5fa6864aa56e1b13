/**
 * One device through the adb server: shell with exit code, raw exec, sync,
 * streams to sockets on the phone. The rest of the agent reaches a phone
 * through this and nothing else. A phone out of reach is `DeviceGone`.
 */
import { DeadlineExceeded, ownNow, type Progress } from '@phonerack/shared'
import { DeviceGone } from '../device/device.js'
import type { AdbClient } from './client.js'
import { AdbConnectionLost, AdbRefused } from './errors.js'
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

/** Bytes; more output than this from one command is an error, so that no phone can fill the agent's memory. */
const outputLimit = 64 << 20

export interface Transport {
  readonly serial: string
  /** Runs a command to its end (shell v2: stdout and stderr apart, exit code). */
  shell(command: ShellCommand, progress: Progress): Promise<ShellResult>
  /** As `shell`, with `input` as the command's stdin, no faster than it reads. */
  feed(command: ShellCommand, input: AsyncIterable<Uint8Array>, progress: Progress): Promise<ShellResult>
  /** Runs a command and returns the raw bytes it wrote, without an exit code (`exec:`). */
  exec(command: ShellCommand, progress: Progress): Promise<Buffer>
  /** Starts a command that goes on after `progress`; the caller owns the stream and closes it. */
  spawn(command: ShellCommand, progress: Progress): Promise<AdbSocket>
  push(path: string, content: Uint8Array, mode: number, progress: Progress): Promise<void>
  /** Null when there is no such file. */
  stat(path: string, progress: Progress): Promise<FileStat | null>
  /** As `lstat`. Null when there is no such file. */
  lstat(path: string, progress: Progress): Promise<FileStat | null>
  /** Gives `visit` the entries of a folder until it answers false. */
  list(path: string, progress: Progress, visit: (entry: FolderEntry) => boolean): Promise<void>
  /** The first `limit` bytes of a file. */
  pull(path: string, limit: number, progress: Progress): Promise<Buffer>
  /** Connects to an abstract socket on the phone. The caller owns the stream. */
  connectAbstract(name: string, progress: Progress): Promise<AdbSocket>
  /** Connects to a TCP port of the phone's own loopback. The caller owns the stream. */
  connectTcp(port: number, progress: Progress): Promise<AdbSocket>
}

/** The words with which the server says that the device itself cannot be reached. */
const gone =
  /device '.*' not found|device not found|device offline|device unauthorized|device still|no devices|closed|cannot connect/i

/** A call that had this long and got no answer hung; one with less was in a hurry. Milliseconds. */
const hangMs = 1500

/** `saw` is told of each call whether the phone answered, or let its time pass; nothing when it was out of reach. */
export function createTransport(
  client: AdbClient,
  serial: string,
  saw: (outcome: 'answered' | 'hung') => void = () => undefined,
): Transport {
  /** Tells `saw` how a call ended, and throws what it threw in the words of the wall. */
  async function watched<T>(progress: Progress, call: () => Promise<T>): Promise<T> {
    const startedAt = ownNow()
    try {
      const result = await call()
      saw('answered')
      return result
    } catch (error) {
      const failure = translate(error)
      // One that its caller gave up says nothing of the phone.
      const late = failure instanceof DeadlineExceeded && progress.remaining === 0
      if (late && ownNow() - startedAt >= hangMs) saw('hung')
      else if (!(failure instanceof DeadlineExceeded) && !(failure instanceof DeviceGone)) saw('answered')
      throw failure
    }
  }

  /** Runs `work` on a stream and turns what adb says into the words of the wall. */
  async function within<T>(
    service: string,
    progress: Progress,
    work: (socket: AdbSocket) => Promise<T>,
  ): Promise<T> {
    return watched(progress, async () => {
      const socket = await client.openOnDevice(serial, service, progress)
      try {
        return await work(socket)
      } finally {
        socket.close()
      }
    })
  }

  async function keep(service: string, progress: Progress): Promise<AdbSocket> {
    return watched(progress, async () => {
      const socket = await client.openOnDevice(serial, service, progress)
      socket.detach()
      return socket
    })
  }

  function translate(error: unknown): unknown {
    if (error instanceof DeadlineExceeded) return error
    if (error instanceof AdbConnectionLost) return new DeviceGone(serial, error)
    if (error instanceof AdbRefused && gone.test(error.answer)) return new DeviceGone(serial, error)
    return error
  }

  /** What this adbd announces; another phone may come to the serial, so that it is asked each time. */
  async function features(progress: Progress): Promise<ReadonlySet<string>> {
    try {
      return new Set((await client.ask(`host-serial:${serial}:features`, progress)).split(','))
    } catch (error) {
      throw translate(error)
    }
  }

  return {
    serial,
    shell: (command, progress) =>
      within(`shell,v2,raw:${command}`, progress, (socket) => readShellPackets(socket, outputLimit)),
    feed: (command, input, progress) =>
      within(`shell,v2,raw:${command}`, progress, (socket) => feedShell(socket, input, outputLimit)),
    exec: (command, progress) => within(`exec:${command}`, progress, (socket) => socket.readAll(outputLimit)),
    spawn: (command, progress) => keep(`shell,v2,raw:${command}`, progress),
    push: (path, content, mode, progress) =>
      within('sync:', progress, (socket) => pushFile(socket, path, content, mode)),
    stat: (path, progress) => within('sync:', progress, (socket) => statFile(socket, path)),
    async lstat(path, progress) {
      const isNew = (await features(progress)).has('stat_v2')
      return within('sync:', progress, (socket) => (isNew ? statFile2(socket, path) : statFile(socket, path)))
    },
    async list(path, progress, visit) {
      const version = (await features(progress)).has('ls_v2') ? 2 : 1
      return within('sync:', progress, (socket) => listFolder(socket, path, version, visit))
    },
    pull: (path, limit, progress) => within('sync:', progress, (socket) => pullFile(socket, path, limit)),
    connectAbstract: (name, progress) => keep(`localabstract:${name}`, progress),
    connectTcp: (port, progress) => keep(`tcp:${port}`, progress),
  }
}
