/**
 * The agent's own adb server, by adbkit (AOSP `adb/OVERVIEW.TXT`, `SERVICES.TXT`). One connection a call, which ends
 * with the call's `progress`. Used by `track.ts`, `transport.ts` and `keep.ts`.
 */
import type { Progress } from '@phonerack/shared'
import { HostConnectCommand, HostDisconnectCommand, HostVersionCommand, Parser } from './adbkit.js'
import { TextCommand } from './commands/service.js'
import { ListDevicesCommand, TransportIdCommand, type ListedDevice } from './commands/transports.js'
import { AdbConnection } from './connection.js'
import { AdbProtocolError, AdbRefused, serviceName } from './errors.js'
import type { TransportId } from './target.js'

export interface TrackedDevice extends Omit<ListedDevice, 'transportId'> {
  transport: TransportId
}

export class AdbClient {
  private serverRun = 0

  /** @param path of the server's Unix socket */
  constructor(readonly path: string) {}

  /** Another server counts its transports from 1 again: ids of the previous server are void. */
  serverStarts(): void {
    this.serverRun += 1
  }

  /** Runs commands on a connection that is closed when `work` ends. `service` names the call in errors. */
  async call<T>(
    service: string,
    progress: Progress,
    work: (connection: AdbConnection) => PromiseLike<T>,
  ): Promise<T> {
    const connection = await this.connection(service, progress)
    try {
      return await work(connection)
    } catch (error) {
      throw plain(error, service)
    } finally {
      connection.close()
    }
  }

  /** As `call`, on a connection that leads to a device. @throws AdbRefused when that connection to the device has ended */
  onDevice<T>(
    transport: TransportId,
    service: string,
    progress: Progress,
    work: (connection: AdbConnection) => PromiseLike<T>,
  ): Promise<T> {
    return this.call(service, progress, async (connection) => {
      await this.lead(connection, transport)
      return work(connection)
    })
  }

  /** As `onDevice`, but the connection stays open; the caller owns it. */
  async keepOnDevice(
    transport: TransportId,
    service: string,
    progress: Progress,
    work: (connection: AdbConnection) => PromiseLike<unknown>,
  ): Promise<AdbConnection> {
    const connection = await this.connection(service, progress)
    try {
      await this.lead(connection, transport)
      await work(connection)
      connection.bytes.detach()
      return connection
    } catch (error) {
      connection.close()
      throw plain(error, service)
    }
  }

  /** The connection is the caller's, as long as `progress` lasts. */
  connection(service: string, progress: Progress): Promise<AdbConnection> {
    return AdbConnection.open(this.path, `adb ${serviceName(service)}`, progress)
  }

  /** A service that answers with one length-prefixed text, such as `host-transport-id:N:features`. */
  ask(service: string, progress: Progress): Promise<string> {
    return this.call(service, progress, (connection) => new TextCommand(connection).execute(service))
  }

  /** As `ask`, of what the server itself knows of a device. */
  askOf(transport: TransportId, service: string, progress: Progress): Promise<string> {
    const whole = `host-transport-id:${transport.id}:${service}`
    return this.call(whole, progress, async (connection) => {
      this.check(transport)
      return new TextCommand(connection).execute(whole)
    })
  }

  /** The server's version, which also proves that it answers. */
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

  /** Returns a function that adds the current run of the server to lists. Call it once connected, since `open` can outlast a server. */
  tracked(): (devices: readonly ListedDevice[]) => TrackedDevice[] {
    const { serverRun } = this
    return (devices) =>
      devices.map(({ serial, state, transportId }) => ({
        serial,
        state,
        transport: { id: transportId, serverRun },
      }))
  }

  /** Connects a phone on the network. Returns null once it is connected, else the server's reason. */
  connect(address: string, progress: Progress): Promise<string | null> {
    const { host, port } = hostAndPort(address)
    return this.call(`host:connect:${address}`, progress, async (connection) => {
      const command = new HostConnectCommand(connection)
      return refusalOf(() => command.execute(host, port))
    })
  }

  /** Removes a phone on the network from the server's list. Succeeds when it is not listed. */
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

  /** Makes the server drop its connection to one device and open it again. */
  async reconnect(transport: TransportId, progress: Progress): Promise<void> {
    const answer = await this.askOf(transport, 'reconnect', progress)
    // The server sends OKAY even when it did not find the device.
    if (!answer.startsWith('reconnecting')) throw new AdbRefused('reconnect', answer)
  }

  private async lead(connection: AdbConnection, transport: TransportId): Promise<void> {
    this.check(transport)
    await new TransportIdCommand(connection).execute(transport.id)
  }

  /** Call it once connected: then the server that accepted the connection is the latest one that started. */
  private check({ id, serverRun }: TransportId): void {
    if (serverRun !== this.serverRun)
      throw new AdbRefused(`host:transport-id:${id}`, 'device not found since the server started again')
  }
}

/** adbkit takes the port by itself. */
function hostAndPort(address: string): { host: string; port: number } {
  const [, host = address, port = '5555'] = /^(.*):(\d+)$/.exec(address) ?? []
  return { host, port: Number(port) }
}

/** The server can send OKAY with a refusal, which adbkit throws as a plain `Error`. */
async function refusalOf(command: () => PromiseLike<unknown>): Promise<string | null> {
  try {
    await command()
    return null
  } catch (error) {
    if (error instanceof Error && error.constructor === Error) return error.message
    throw error
  }
}

/** Converts an error of adbkit into an error of `errors.ts`. */
function plain(error: unknown, service: string): unknown {
  if (error instanceof Parser.FailError)
    return new AdbRefused(service, error.message.replace(/^Failure: '(.*)'$/s, '$1'))
  if (error instanceof Parser.UnexpectedDataError)
    return new AdbProtocolError(
      `unexpected answer ${JSON.stringify(error.unexpected)} to ${serviceName(service)}`,
    )
  return error
}
