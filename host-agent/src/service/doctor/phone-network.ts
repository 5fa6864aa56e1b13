/**
 * Checks whether the phones, which run apps of tenants, can open connections to the agent or to each other.
 * Each phone tries with its own `nc` (toybox 0.7.7 or newer, in which `-q` is at least 1).
 */
import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os'
import { isLoopback, Progress } from '@phonerack/shared'
import type { AdbClient } from '../../adb/client.js'
import type { ListedDevice } from '../../adb/device-list.js'
import { command } from '../../adb/quote.js'
import { addressText, type Address } from '../../base/cli/addresses.js'
import { createTransport, type Transport } from '../../adb/transport.js'
import { attempt } from './programs.js'
import type { PhoneNetwork, Try } from './readings.js'

/** Milliseconds for one try. */
export const tryMs = 10_000
/** The number of other phones that each phone tries, and the number of addresses of the agent. */
const [mostPhones, mostAddresses] = [3, 8]
/** Phones that try at the same time. */
const mostAtOnce = 8
/** Messages of `nc` for a connection that the network or the target refuses. */
const refusals = /refused|unreachable|time[d ]*out|no route|not permitted|denied|prohibited/i

interface Targets {
  /** The address on which the agent accepts calls, `host:port`; null when it opens tunnels. */
  listen: string | null
  /**
   * The network phones of the configuration. The serial of any other phone is a text that the phone chose.
   */
  networkPhones: readonly string[]
  /** Milliseconds for one try. */
  tryMs: number
}

/** A connected phone, and the client of the adb server that lists it. */
export interface ConnectedPhone {
  client: AdbClient
  device: ListedDevice
}

export async function readPhoneNetwork(
  phones: readonly ConnectedPhone[],
  { listen, networkPhones, tryMs }: Targets,
): Promise<PhoneNetwork[]> {
  const agent = listen === null ? [] : agentAddresses(listen, Object.values(networkInterfaces()).flat())
  const read = async ({ client, device }: ConnectedPhone, index: number): Promise<PhoneNetwork> => {
    const transport = createTransport(client, { serial: device.serial, current: device.transport })
    const others = [...phones.slice(index + 1), ...phones.slice(0, index)]
      .map((other) => other.device.serial)
      .filter((serial) => networkPhones.includes(serial))
      .slice(0, mostPhones)
    return {
      serial: device.serial,
      agent: await tryAll(transport, agent, tryMs),
      phones: await tryAll(
        transport,
        others.flatMap((serial) => placeOf(serial) ?? []),
        tryMs,
      ),
    }
  }
  const found: PhoneNetwork[] = []
  for (let at = 0; at < phones.length; at += mostAtOnce)
    found.push(
      ...(await Promise.all(phones.slice(at, at + mostAtOnce).map((each, index) => read(each, at + index)))),
    )
  return found
}

/** Tries each place separately, so that a place that hangs does not hide the others. */
async function tryAll(transport: Transport, places: readonly Address[], limitMs: number): Promise<Try[]> {
  const found: Try[] = []
  for (const place of places)
    found.push({
      place: addressText(place),
      isReached: await attempt(() => connects(transport, place, limitMs)),
    })
  return found
}

/** @throws Error when the phone cannot try */
async function connects(transport: Transport, { host, port }: Address, limitMs: number): Promise<boolean> {
  const line = command('nc', '-w', '2', '-q', '1', host, String(port))
  const { exitCode, stderr } = await transport.feed(line, nothing(), Progress.for(limitMs))
  if (exitCode === 0) return true
  const message = stderr.toString('utf8').slice(0, 200).trim()
  if (exitCode === 1 && refusals.test(message)) return false
  throw new Error(`nc ended with ${exitCode}: ${message}`)
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Returns the addresses of this machine at which other machines reach the agent; IPv4 first. */
export function agentAddresses(
  listen: string,
  own: readonly (Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'> | undefined)[],
): Address[] {
  const place = placeOf(listen)
  if (place === null) return []
  const { host, port } = place
  if (host !== '0.0.0.0' && host !== '::') return isLoopback(host) ? [] : [place]
  const others = own.flatMap((each) => each ?? []).filter(({ internal }) => !internal)
  const of = (wanted: string) => others.filter(({ family }) => family === wanted)
  return [...of('IPv4'), ...of('IPv6').filter(({ address }) => !address.startsWith('fe80:'))]
    .slice(0, mostAddresses)
    .map(({ address }) => ({ host: address, port }))
}

/** Null for a text other than `host:port`. */
export function placeOf(text: string): Address | null {
  const { host, port } =
    /^(?<host>\[[\da-f:.]+\]|[\da-z][\da-z.-]*):(?<port>\d{1,5})$/i.exec(text)?.groups ?? {}
  if (host === undefined || port === undefined) return null
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}
