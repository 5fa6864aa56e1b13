/**
 * Whether the phones can open connections to the agent or to each other: apps of tenants run on them. Each phone tries with
 * its own `nc` (toybox).
 */
import { networkInterfaces } from 'node:os'
import { isLoopback, Progress } from '@phonerack/shared'
import type { AdbClient, TrackedDevice } from '../adb/client.js'
import { command } from '../adb/quote.js'
import { createTransport, type Transport } from '../adb/transport.js'
import { error, ok, unknown, warning } from './finding.js'
import { attempt } from './programs.js'
import type { Finding, PhoneNetwork } from './readings.js'

interface Place {
  host: string
  port: number
}

/** Seconds for one attempt to connect, and milliseconds for the command with it. */
const [connectS, commandMs] = [2, 10_000]
/** Other phones that each phone tries; addresses of the agent that it tries. */
const [mostPhones, mostAddresses] = [3, 4]
/** Phones that try at the same time. */
const mostAtOnce = 8

/** @param devices connected phones @param listen where the agent accepts calls, `host:port`; null: it opens tunnels */
export async function readPhoneNetwork(
  client: AdbClient,
  devices: readonly TrackedDevice[],
  listen: string | null,
): Promise<PhoneNetwork[]> {
  const agent = listen === null ? [] : agentPlaces(listen)
  const read = async (device: TrackedDevice, index: number): Promise<PhoneNetwork> => {
    const transport = createTransport(client, { serial: device.serial, current: device.transport })
    const others = [...devices.slice(index + 1), ...devices.slice(0, index)].flatMap(({ serial }) => {
      const place = placeOf(serial)
      return place === null ? [] : [place]
    })
    const found = await attempt(async () => ({
      agent: await reached(transport, agent),
      phones: await reached(transport, others.slice(0, mostPhones)),
    }))
    return { serial: device.serial, reached: found }
  }
  const found: PhoneNetwork[] = []
  for (let at = 0; at < devices.length; at += mostAtOnce)
    found.push(
      ...(await Promise.all(devices.slice(at, at + mostAtOnce).map((each, index) => read(each, at + index)))),
    )
  return found
}

/** Those of `places` to which the phone connects, as `host:port`. @throws Error when the phone cannot try */
async function reached(transport: Transport, places: readonly Place[]): Promise<string[]> {
  const found: string[] = []
  for (const { host, port } of places) {
    const line = command('nc', '-w', String(connectS), '-q', '0', host, String(port))
    const { exitCode, stderr } = await transport.feed(line, nothing(), Progress.for(commandMs))
    if (exitCode === 0) found.push(`${host}:${port}`)
    else if (exitCode !== 1)
      throw new Error(`nc ended with ${exitCode}: ${stderr.toString('utf8').slice(0, 200)}`)
  }
  return found
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** The addresses of this machine at which others reach the agent. */
function agentPlaces(listen: string): Place[] {
  const place = placeOf(listen)
  if (place === null) return []
  const { host, port } = place
  if (host !== '0.0.0.0' && host !== '::') return isLoopback(host) ? [] : [place]
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return own
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .slice(0, mostAddresses)
    .map(({ address }) => ({ host: address, port }))
}

/** Null for the serial of a phone on USB. */
function placeOf(text: string): Place | null {
  const { host, port } = /^(?<host>\[[^\]]+\]|[^:]+):(?<port>\d{1,5})$/.exec(text)?.groups ?? {}
  if (host === undefined || port === undefined) return null
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

export function phoneNetworkFindings(phones: readonly PhoneNetwork[]): Finding[] {
  const id = 'phone_network'
  const findings = phones.flatMap(({ serial, reached: found }): Finding[] => {
    if ('failed' in found)
      return [
        unknown(
          id,
          `whether ${serial} reaches the agent or other phones could not be checked: ${found.failed}`,
          'Apps of tenants run on the phone.',
          `on the phone: nc -w 2 ADDRESS PORT`,
        ),
      ]
    const { agent, phones: others } = found.value
    return [
      ...others.map((other) =>
        error(
          id,
          `${serial} can connect to the ADB port of the phone ${other}`,
          "An app of one tenant could attack another tenant's phone.",
          'switch on client isolation in the access point or switch of the phones, and drop connections between them (docs/operations.md, Network plan)',
        ),
      ),
      ...agent.map((place) =>
        warning(
          id,
          `${serial} can connect to the agent at ${place}`,
          'Apps of tenants reach this machine. Only mutual TLS protects the agent from them.',
          'give grpc_listen an address in another network than that of the phones, or drop connections from the phones to this machine in its firewall',
        ),
      ),
    ]
  })
  if (findings.length > 0 || phones.length === 0) return findings
  return [ok(id, `phones that tried: ${phones.length}; none connects to the agent or to another phone`)]
}
