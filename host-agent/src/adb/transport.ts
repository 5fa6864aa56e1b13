/**
 * Access to one device through the adb server: shell, exec, sync, streams to sockets on the phone. All other code of the agent
 * reaches phones through it. An unreachable phone is `DeviceGone`.
 */
import { DeadlineExceeded, ownNow, type Progress } from '@phonerack/shared'
import { DeviceGone, InvalidAnswer, isDisconnect } from '../base/device-gone.js'
import { LocalCommand, TcpCommand } from './adbkit.js'
import type { AdbClient } from './client.js'
import { OpenCommand } from './commands/service.js'
import { ExecCommand, FeedCommand, ShellV2Command, SpawnCommand } from './commands/shell-v2.js'
import { ListCommand, PullCommand, PushCommand, StatCommand } from './commands/sync.js'
import type { AdbConnection } from './connection.js'
import { AdbConnectionLost, AdbProtocolError, AdbRefused } from './errors.js'
import type { ShellCommand } from './quote.js'
import type { ShellResult } from './shell-protocol.js'
import type { AdbSocket } from './socket.js'
import type { FileStat, FolderEntry, SyncVersion } from './sync.js'
import { pin, type Target, type TransportId } from './target.js'

/**
 * Maximum bytes of output of one command, so that a phone cannot exhaust the agent's memory, or its time by parsing. Raw
 * output is that of pictures and trees, whose readers have limits.
 */
const outputLimits = { shell: 8 << 20, raw: 64 << 20 }

export interface Transport {
  readonly serial: string
  /**
   * A transport to the phone that is connected now, for related steps: its calls throw `DeviceGone` once the serial has
   * another connection.
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
  /** Calls `visit` for each entry of a folder until it returns false. */
  list(path: string, progress: Progress, visit: (entry: FolderEntry) => boolean): Promise<void>
  /** Reads the first `limit` bytes of a file. */
  pull(path: string, limit: number, progress: Progress): Promise<Buffer>
  /** Connects to an abstract socket on the phone. The caller closes the stream. */
  connectAbstract(name: string, progress: Progress): Promise<AdbSocket>
  /** Connects to a TCP port on the phone's loopback. The caller closes the stream. */
  connectTcp(port: number, progress: Progress): Promise<AdbSocket>
  /** Requests a restart. Returns once the phone has accepted it. */
  reboot(progress: Progress): Promise<void>
  /** Makes the adb server reopen its connection to the phone. */
  reconnect(progress: Progress): Promise<void>
}

/** The server's messages for an unreachable device. */
const gone =
  /device '.*' not found|device not found|no device with transport id|device offline|device unauthorized|device still|no devices|closed|cannot connect/i

/** Milliseconds. A call that times out counts as hung only if it had at least this long. */
const hangMs = 1500

/** The features of each connection. */
const features = new WeakMap<TransportId, ReadonlySet<string>>()

/** `onOutcome` gets the outcome of each call: `answered`, or `hung` after a timeout. Not called for an unreachable phone. */
export function createTransport(
  client: AdbClient,
  target: Target,
  onOutcome: (outcome: 'answered' | 'hung') => void = () => undefined,
): Transport {
  const { serial } = target

  /** Reports the outcome of a call and translates its error. */
  async function watched<T>(progress: Progress, call: () => Promise<T>): Promise<T> {
    const startedAt = ownNow()
    try {
      const result = await call()
      onOutcome('answered')
      return result
    } catch (error) {
      const failure = translate(error)
      // A call that its caller aborted says nothing about the phone.
      const late = failure instanceof DeadlineExceeded && progress.remaining === 0
      if (late && ownNow() - startedAt >= hangMs) onOutcome('hung')
      else if (!(failure instanceof DeadlineExceeded) && !isDisconnect(failure)) onOutcome('answered')
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
    if (error instanceof AdbProtocolError) return new InvalidAnswer(serial, error)
    if (error instanceof AdbRefused && gone.test(error.answer)) return new DeviceGone(serial, error)
    return error
  }

  /** 2 when the phone supports `feature`. */
  async function syncVersion(feature: string, progress: Progress): Promise<SyncVersion> {
    const transport = here()
    let known = features.get(transport)
    try {
      known ??= new Set((await client.askAbout(transport, 'features', progress)).split(','))
    } catch (error) {
      throw translate(error)
    }
    features.set(transport, known)
    return known.has(feature) ? 2 : 1
  }

  return {
    serial,
    pinned: () => createTransport(client, pin(target), onOutcome),
    shell: (command, progress) =>
      within(`shell,v2,raw:${command}`, progress, (connection) =>
        new ShellV2Command(connection).execute(command, outputLimits.shell),
      ),
    feed: (command, input, progress) =>
      within(`shell,v2,raw:${command}`, progress, (connection) =>
        new FeedCommand(connection).execute(command, input, outputLimits.shell),
      ),
    exec: (command, progress) =>
      within(`exec:${command}`, progress, (connection) =>
        new ExecCommand(connection).execute(command, outputLimits.raw),
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
      const newest = await syncVersion('stat_v2', progress)
      return within('sync:', progress, (connection) => new StatCommand(connection).execute(path, newest))
    },
    async list(path, progress, visit) {
      const newest = await syncVersion('ls_v2', progress)
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
