/**
 * Calls to the agent's own adb server through adbkit (AOSP `adb/OVERVIEW.TXT`, `SERVICES.TXT`). Each call opens a connection
 * that closes with the call's `progress`. Used by `track.ts`, `transport.ts` and `keep.ts`.
 */
import type { Progress } from '@phonerack/shared'
import { inPart } from '@phonerack/shared/tracing'
import { HostConnectCommand, HostDisconnectCommand, HostVersionCommand, Parser } from './adbkit.js'
import { TextCommand } from './commands/service.js'
import { ListDevicesCommand, TransportIdCommand, type ListedDevice } from './commands/transports.js'
import { AdbConnection } from './connection.js'
import { AdbConnectionLost, AdbProtocolError, AdbRefused, serviceName } from './errors.js'
import { adbKindOf, countAdbCall, countAdbServerStart, type AdbOutcome } from '../base/metrics/instruments.js'
import type { TransportId } from './target.js'

export interface TrackedDevice extends Omit<ListedDevice, 'transportId'> {
  transport: TransportId
}

export class AdbClient {
  private serverRun = 0

  /** @param path path of the server's Unix socket */
  constructor(readonly path: string) {}

  /** Call it when a server starts: each server counts transport ids from 1, so ids of the previous server become invalid. */
  onServerStart(): void {
    this.serverRun += 1
    countAdbServerStart()
  }

  /** Runs `work` on a connection and closes it afterwards. `service` names the call in errors. */
  async call<T>(
    service: string,
    progress: Progress,
    work: (connection: AdbConnection) => PromiseLike<T>,
  ): Promise<T> {
    return counted(service, async () => {
      const connection = await this.connection(service, progress)
      try {
        return await work(connection)
      } catch (error) {
        throw toAdbError(error, service)
      } finally {
        connection.close()
      }
    })
  }

  /** Like `call`, on a connection to a device. @throws AdbRefused when the transport no longer exists */
  onDevice<T>(
    transport: TransportId,
    service: string,
    progress: Progress,
    work: (connection: AdbConnection) => PromiseLike<T>,
  ): Promise<T> {
    return this.call(service, progress, async (connection) => {
      await this.selectDevice(connection, transport)
      return work(connection)
    })
  }

  /** Like `onDevice`, but leaves the connection open; the caller closes it. */
  async keepOnDevice(
    transport: TransportId,
    service: string,
    progress: Progress,
    work: (connection: AdbConnection) => PromiseLike<unknown>,
  ): Promise<AdbConnection> {
    return counted(service, async () => {
      const connection = await this.connection(service, progress)
      try {
        await this.selectDevice(connection, transport)
        await work(connection)
        // The socket can be destroyed between the answer and this line.
        progress.check(connection.what)
        connection.bytes.detach()
        return connection
      } catch (error) {
        connection.close()
        throw toAdbError(error, service)
      }
    })
  }

  /** Opens a connection that closes with `progress`. */
  connection(service: string, progress: Progress): Promise<AdbConnection> {
    return AdbConnection.open(this.path, `adb ${serviceName(service)}`, progress)
  }

  /** Requests a service that answers with one length-prefixed text, such as `host-transport-id:N:features`. */
  ask(service: string, progress: Progress): Promise<string> {
    return this.call(service, progress, (connection) => new TextCommand(connection).execute(service))
  }

  /** Like `ask`, for a service in which the server itself answers about a device. */
  askAbout(transport: TransportId, service: string, progress: Progress): Promise<string> {
    const whole = `host-transport-id:${transport.id}:${service}`
    return this.call(whole, progress, async (connection) => {
      this.check(transport)
      return new TextCommand(connection).execute(whole)
    })
  }

  /** The server's version. */
  async version(progress: Progress): Promise<number> {
    const version = await this.call('host:version', progress, (connection) =>
      new HostVersionCommand(connection).execute(),
    )
    if (!Number.isInteger(version)) throw new AdbProtocolError('the version of the server is not a number')
    return version
  }

  /** All devices that the server lists. */
  devices(progress: Progress): Promise<TrackedDevice[]> {
    return this.call('host:devices-l', progress, async (connection) => {
      const tracked = this.tracked()
      return tracked(await new ListDevicesCommand(connection).execute())
    })
  }

  /**
   * Returns a function that adds the current run of the server to lists. Call it after connecting: the server can restart while
   * a connection opens.
   */
  tracked(): (devices: readonly ListedDevice[]) => TrackedDevice[] {
    const { serverRun } = this
    return (devices) =>
      devices.map(({ serial, state, transportId }) => ({
        serial,
        state,
        transport: { id: transportId, serverRun },
      }))
  }

  /** Connects a network phone. Returns null once it is connected, else the server's reason. */
  connect(address: string, progress: Progress): Promise<string | null> {
    const { host, port } = hostAndPort(address)
    return this.call(`host:connect:${address}`, progress, async (connection) => {
      const command = new HostConnectCommand(connection)
      return refusalOf(() => command.execute(host, port))
    })
  }

  /** Removes a network phone from the server's list. Succeeds when it is not listed. */
  async disconnect(address: string, progress: Progress): Promise<void> {
    const { host, port } = hostAndPort(address)
    try {
      await this.call(`host:disconnect:${address}`, progress, async (connection) => {
        const command = new HostDisconnectCommand(connection)
        return refusalOf(() => command.execute(host, port))
      })
    } catch (error) {
      if (!(error instanceof AdbRefused)) throw error
    }
  }

  /** Makes the server close and reopen its connection to a device. */
  async reconnect(transport: TransportId, progress: Progress): Promise<void> {
    const answer = await this.askAbout(transport, 'reconnect', progress)
    // The server sends OKAY even when it did not find the device.
    if (!answer.startsWith('reconnecting')) throw new AdbRefused('reconnect', answer)
  }

  private async selectDevice(connection: AdbConnection, transport: TransportId): Promise<void> {
    this.check(transport)
    await new TransportIdCommand(connection).execute(transport.id)
  }

  /** Call it after connecting: the server that accepted the connection is then the latest one that started. */
  private check({ id, serverRun }: TransportId): void {
    if (serverRun !== this.serverRun)
      throw new AdbRefused(`host:transport-id:${id}`, 'device not found since the server restarted')
  }
}

/** adbkit expects host and port separately. */
function hostAndPort(address: string): { host: string; port: number } {
  const [, host = address, port = '5555'] = /^(.*):(\d+)$/.exec(address) ?? []
  return { host, port: Number(port) }
}

/** Returns the reason of a refusal that the server sends with OKAY; adbkit throws it as a plain `Error`. */
async function refusalOf(command: () => PromiseLike<unknown>): Promise<string | null> {
  try {
    await command()
    return null
  } catch (error) {
    if (error instanceof Error && error.constructor === Error) return error.message
    throw error
  }
}

/** Counts a call by its outcome, as a part of a trace. */
async function counted<T>(service: string, work: () => Promise<T>): Promise<T> {
  let outcome: AdbOutcome = 'failed'
  try {
    const result = await inPart(`adb ${adbKindOf(service)}`, () => ({}), work)
    outcome = 'ok'
    return result
  } catch (error) {
    if (error instanceof AdbRefused) outcome = 'refused'
    else if (error instanceof AdbConnectionLost) outcome = 'lost'
    throw error
  } finally {
    countAdbCall(service, outcome)
  }
}

/** Converts an error of adbkit into an error of `errors.ts`. */
function toAdbError(error: unknown, service: string): unknown {
  if (error instanceof Parser.FailError)
    return new AdbRefused(service, error.message.replace(/^Failure: '(.*)'$/s, '$1'))
  if (error instanceof Parser.UnexpectedDataError)
    return new AdbProtocolError(
      `unexpected answer ${JSON.stringify(error.unexpected)} to ${serviceName(service)}`,
    )
  return error
}
