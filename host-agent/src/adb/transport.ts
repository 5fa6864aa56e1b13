/**
 * One device through the adb server: shell with exit code, raw exec, sync,
 * streams to sockets on the phone. The rest of the agent reaches a phone
 * through this and nothing else. A phone out of reach is `DeviceGone`.
 */
import { DeadlineExceeded, ownNow, type Progress } from '@phonerack/shared'
import { DeviceGone } from '../base/device-gone.js'
import { LocalCommand, TcpCommand } from './adbkit.js'
import type { AdbClient } from './client.js'
import { OpenCommand } from './commands/service.js'
import { ExecCommand, FeedCommand, ShellV2Command, SpawnCommand } from './commands/shell-v2.js'
import { ListCommand, PullCommand, PushCommand, StatCommand } from './commands/sync.js'
import type { AdbConnection } from './connection.js'
import { AdbConnectionLost, AdbRefused } from './errors.js'
import type { ShellCommand } from './quote.js'
import type { ShellResult } from './shell-protocol.js'
import type { AdbSocket } from './socket.js'
import type { FileStat, FolderEntry, SyncVersion } from './sync.js'
import { pin, type Target, type TransportId } from './target.js'

/** Bytes; more output than this from one command is an error, so that no phone can fill the agent's memory. */
const outputLimit = 64 << 20

export interface Transport {
  readonly serial: string
  /**
   * The phone that is connected now and no later one: once another connection took its place, every call is `DeviceGone`.
   * For steps that belong together.
   */
  pinned(): Transport
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
  /** Orders a restart; returns once the phone took the order. */
  reboot(progress: Progress): Promise<void>
  /** Makes the adb server open its connection to the phone anew. */
  reconnect(progress: Progress): Promise<void>
}

/** The words with which the server says that the device itself cannot be reached. */
const gone =
  /device '.*' not found|device not found|no device with transport id|device offline|device unauthorized|device still|no devices|closed|cannot connect/i

/** A call that had this long and got no answer hung; one with less was in a hurry. Milliseconds. */
const hangMs = 1500

/** What each phone announced when it connected. */
const features = new WeakMap<TransportId, ReadonlySet<string>>()

/** `saw` is told of each call whether the phone answered, or let its time pass; nothing when it was out of reach. */
export function createTransport(
  client: AdbClient,
  target: Target,
  saw: (outcome: 'answered' | 'hung') => void = () => undefined,
): Transport {
  const { serial } = target

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

  function here(): TransportId {
    if (target.current === null) throw new DeviceGone(serial)
    return target.current
  }

  const within = <T>(
    service: string,
    progress: Progress,
    work: (connection: AdbConnection) => PromiseLike<T>,
  ): Promise<T> => watched(progress, async () => client.onDevice(here(), service, progress, work))

  const keep = (
    service: string,
    progress: Progress,
    work: (connection: AdbConnection) => PromiseLike<unknown>,
  ): Promise<AdbSocket> =>
    watched(progress, async () => (await client.keepOnDevice(here(), service, progress, work)).bytes)

  function translate(error: unknown): unknown {
    if (error instanceof DeadlineExceeded) return error
    if (error instanceof AdbConnectionLost) return new DeviceGone(serial, error)
    if (error instanceof AdbRefused && gone.test(error.answer)) return new DeviceGone(serial, error)
    return error
  }

  /** Version 2 of the sync service where the phone has it. */
  async function version(feature: string, progress: Progress): Promise<SyncVersion> {
    const transport = here()
    let known = features.get(transport)
    try {
      known ??= new Set((await client.askOf(transport, 'features', progress)).split(','))
    } catch (error) {
      throw translate(error)
    }
    features.set(transport, known)
    return known.has(feature) ? 2 : 1
  }

  return {
    serial,
    pinned: () => createTransport(client, pin(target), saw),
    shell: (command, progress) =>
      within(`shell,v2,raw:${command}`, progress, (connection) =>
        new ShellV2Command(connection).execute(command, outputLimit),
      ),
    feed: (command, input, progress) =>
      within(`shell,v2,raw:${command}`, progress, (connection) =>
        new FeedCommand(connection).execute(command, input, outputLimit),
      ),
    exec: (command, progress) =>
      within(`exec:${command}`, progress, (connection) =>
        new ExecCommand(connection).execute(command, outputLimit),
      ),
    spawn: (command, progress) =>
      keep(`shell,v2,raw:${command}`, progress, (connection) =>
        new SpawnCommand(connection).execute(command),
      ),
    push: (path, content, mode, progress) =>
      within('sync:', progress, (connection) => new PushCommand(connection).execute(path, content, mode)),
    stat: (path, progress) =>
      within('sync:', progress, (connection) => new StatCommand(connection).execute(path, 1)),
    async lstat(path, progress) {
      const newest = await version('stat_v2', progress)
      return within('sync:', progress, (connection) => new StatCommand(connection).execute(path, newest))
    },
    async list(path, progress, visit) {
      const newest = await version('ls_v2', progress)
      return within('sync:', progress, (connection) =>
        new ListCommand(connection).execute(path, newest, visit),
      )
    },
    pull: (path, limit, progress) =>
      within('sync:', progress, (connection) => new PullCommand(connection).execute(path, limit)),
    connectAbstract: (name, progress) =>
      keep(`localabstract:${name}`, progress, (connection) =>
        new LocalCommand(connection).execute(`localabstract:${name}`),
      ),
    connectTcp: (port, progress) =>
      keep(`tcp:${port}`, progress, (connection) => new TcpCommand(connection).execute(port)),
    reboot: (progress) =>
      within('reboot:', progress, (connection) => new OpenCommand(connection).execute('reboot:')),
    async reconnect(progress) {
      try {
        await client.reconnect(here(), progress)
      } catch (error) {
        throw translate(error)
      }
    },
  }
}
