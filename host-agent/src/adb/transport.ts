/**
 * One device through the adb server: shell with exit code, raw exec, sync,
 * streams to sockets on the phone. The rest of the agent reaches a phone
 * through this and nothing else. A phone out of reach is `DeviceGone`.
 */
import { DeadlineExceeded, type Progress } from '@phonerack/shared'
import { DeviceGone } from '../device/device.js'
import type { AdbClient } from './client.js'
import { AdbConnectionLost, AdbRefused } from './errors.js'
import type { ShellCommand } from './quote.js'
import { readShellPackets, type ShellResult } from './shell-protocol.js'
import type { AdbSocket } from './socket.js'
import { pushFile, statFile, type FileStat } from './sync.js'

/** Bytes; more output than this from one command is an error, so that no phone can fill the agent's memory. */
const outputLimit = 64 << 20

export interface Transport {
  readonly serial: string
  /** Runs a command to its end (shell v2: stdout and stderr apart, exit code). */
  shell(command: ShellCommand, progress: Progress): Promise<ShellResult>
  /** Runs a command and returns the raw bytes it wrote, without an exit code (`exec:`). */
  exec(command: ShellCommand, progress: Progress): Promise<Buffer>
  /** Starts a command that goes on after `progress`; the caller owns the stream and closes it. */
  spawn(command: ShellCommand, progress: Progress): Promise<AdbSocket>
  push(path: string, content: Uint8Array, mode: number, progress: Progress): Promise<void>
  /** Null when there is no such file. */
  stat(path: string, progress: Progress): Promise<FileStat | null>
  /** Connects to an abstract socket on the phone. The caller owns the stream. */
  connectAbstract(name: string, progress: Progress): Promise<AdbSocket>
}

/** The words with which the server says that the device itself cannot be reached. */
const gone =
  /device '.*' not found|device not found|device offline|device unauthorized|device still|no devices|closed|cannot connect/i

export function createTransport(client: AdbClient, serial: string): Transport {
  /** Runs `work` on a stream and turns what adb says into the words of the wall. */
  async function within<T>(
    service: string,
    progress: Progress,
    work: (socket: AdbSocket) => Promise<T>,
  ): Promise<T> {
    try {
      const socket = await client.openOnDevice(serial, service, progress)
      try {
        return await work(socket)
      } finally {
        socket.close()
      }
    } catch (error) {
      throw translate(error)
    }
  }

  async function keep(service: string, progress: Progress): Promise<AdbSocket> {
    try {
      const socket = await client.openOnDevice(serial, service, progress)
      socket.detach()
      return socket
    } catch (error) {
      throw translate(error)
    }
  }

  function translate(error: unknown): unknown {
    if (error instanceof DeadlineExceeded) return error
    if (error instanceof AdbConnectionLost) return new DeviceGone(serial, error)
    if (error instanceof AdbRefused && gone.test(error.answer)) return new DeviceGone(serial, error)
    return error
  }

  return {
    serial,
    shell: (command, progress) =>
      within(`shell,v2,raw:${command}`, progress, (socket) => readShellPackets(socket, outputLimit)),
    exec: (command, progress) => within(`exec:${command}`, progress, (socket) => socket.readAll(outputLimit)),
    spawn: (command, progress) => keep(`shell,v2,raw:${command}`, progress),
    push: (path, content, mode, progress) =>
      within('sync:', progress, (socket) => pushFile(socket, path, content, mode)),
    stat: (path, progress) => within('sync:', progress, (socket) => statFile(socket, path)),
    connectAbstract: (name, progress) => keep(`localabstract:${name}`, progress),
  }
}
