/**
 * Calls to the agent's own adb server. Each call opens a connection that closes with the call's `progress`. Used by `track.ts`,
 * `transport.ts` and `keep.ts`.
 */
import type { Progress } from '@phonerack/shared'
import { inPart } from '@phonerack/shared/tracing'
import { adbKindOf, countAdbCall, countAdbServerStart, type AdbOutcome } from '../base/metrics/instruments.js'
import { openSocket } from './connect.js'
import { parseDeviceList, type ListedDevice } from './device-list.js'
import { AdbConnectionLost, AdbProtocolError, AdbRefused, serviceName } from './errors.js'
import { readText, requestService } from './service.js'
import type { AdbSocket } from './socket.js'
import type { TransportId } from './target.js'

/** Returns the prefix of a service in which the server itself answers about a device. */
const aboutDevice = ({ id }: TransportId): string => `host-transport-id:${id}:`

export class AdbClient {
  private serverRun = 0

  /** @param path path of the server's Unix socket */
  constructor(readonly path: string) {}

  /**
   * Must be called when a server starts: each server counts transport IDs from 1, so IDs of the previous
   * server become invalid.
   */
  onServerStart(): void {
    this.serverRun += 1
    countAdbServerStart()
  }

  /**
   * Requests a service, passes the stream after its OKAY to `work`, and closes the connection afterwards.
   * @param device the device of the service; null for a service of the server itself
   * @throws AdbRefused by the server, and for a transport that no longer exists; AdbConnectionLost, AdbProtocolError
   */
  call<T>(
    service: string,
    device: TransportId | null,
    progress: Progress,
    work: (stream: AdbSocket, serverRun: number) => Promise<T>,
  ): Promise<T> {
    return counted(service, async () => {
      const { stream, serverRun } = await this.request(service, device, progress)
      try {
        return await work(stream, serverRun)
      } finally {
        stream.close()
      }
    })
  }

  /** Like `call`, but returns the stream, which may last longer than `progress`; the caller must close it. */
  open(service: string, device: TransportId | null, progress: Progress): Promise<AdbSocket> {
    return counted(service, async () => {
      const { stream } = await this.request(service, device, progress)
      // The socket can be destroyed between the answer and this line.
      progress.check(`adb ${serviceName(service)}`)
      stream.detach()
      return stream
    })
  }

  private async request(
    service: string,
    device: TransportId | null,
    progress: Progress,
  ): Promise<{ stream: AdbSocket; serverRun: number }> {
    const stream = await openSocket(this.path, `adb ${serviceName(service)}`, progress)
    // The server that accepted the connection is the server that started last.
    const { serverRun } = this
    try {
      if (device !== null) {
        const select = `host:transport-id:${device.id}`
        if (device.serverRun !== serverRun)
          throw new AdbRefused(select, 'device not found since the server restarted')
        if (!service.startsWith(aboutDevice(device))) await requestService(stream, select)
      }
      await requestService(stream, service)
      return { stream, serverRun }
    } catch (error) {
      stream.close()
      throw error
    }
  }

  /** Returns the names of the protocol features that a device supports. */
  async features(device: TransportId, progress: Progress): Promise<ReadonlySet<string>> {
    const answer = await this.call(`${aboutDevice(device)}features`, device, progress, readText)
    return new Set(answer.split(','))
  }

  /** Makes the server close and reopen its connection to a device. */
  async reconnect(device: TransportId, progress: Progress): Promise<void> {
    const answer = await this.call(`${aboutDevice(device)}reconnect`, device, progress, readText)
    // The server sends OKAY even when it did not find the device.
    if (!answer.startsWith('reconnecting')) throw new AdbRefused('reconnect', answer)
  }

  /** Requests a service of the server that answers with one text. */
  ask(service: string, progress: Progress): Promise<string> {
    return this.call(service, null, progress, readText)
  }

  /** Returns the server's version. */
  async version(progress: Progress): Promise<number> {
    const version = Number.parseInt(await this.ask('host:version', progress), 16)
    if (Number.isNaN(version)) throw new AdbProtocolError('the version of the server is not a number')
    return version
  }

  /** Returns all devices that the server lists. */
  devices(progress: Progress): Promise<ListedDevice[]> {
    return this.call('host:devices-l', null, progress, async (stream, serverRun) =>
      parseDeviceList(await readText(stream), serverRun),
    )
  }

  /** Connects a network phone. Returns null once it is connected, otherwise the server's reason. */
  async connect(address: string, progress: Progress): Promise<string | null> {
    const answer = await this.ask(`host:connect:${address}`, progress)
    return /connected to|already connected/.test(answer) ? null : answer
  }

  /** Removes a network phone from the server's list. Succeeds when the phone is not listed. */
  async disconnect(address: string, progress: Progress): Promise<void> {
    try {
      await this.ask(`host:disconnect:${address}`, progress)
    } catch (error) {
      if (!(error instanceof AdbRefused)) throw error
    }
  }
}

/** Counts a call by its outcome, as a span of a trace. */
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
