/** `phonerack-agent health`: whether the agent of this state folder works, for the health check of a container. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { Progress } from '@phonerack/shared'
import { serversOf, systemUsb } from '../adb/plan.js'
import { runningAgent } from '../adb/process-identity.js'
import { readUsbPorts } from '../adb/usb.js'
import { splitHostPort } from '../base/host-port.js'
import type { Io } from '../base/cli/io.js'
import type { Config } from './config.js'
import { grpcSocketPath } from './grpc/socket.js'

const limitMs = 4000

/** @param config the valid configuration, or its problem @returns the exit code */
export async function runHealth(config: Config | { problem: string }, io: Io): Promise<number> {
  const fault = 'problem' in config ? config.problem : await faultOf(config)
  io.out(fault === null ? 'ok\n' : `${fault}\n`)
  return fault === null ? 0 : 1
}

async function faultOf({ dataDir, adbConnect, grpcListen }: Config): Promise<string | null> {
  if (runningAgent(dataDir) === null) return `no agent runs in ${dataDir}`
  const progress = Progress.for(limitMs)
  const sys = systemUsb()
  const servers = serversOf(dataDir, adbConnect, sys !== null && existsSync(sys) ? readUsbPorts(sys) : [])
  try {
    // The phone of a server that does not run is not a fault of the agent.
    if (servers.length > 0) await Promise.any(servers.map(({ client }) => client.devices(progress)))
  } catch (error) {
    const first: unknown = error instanceof AggregateError ? error.errors[0] : error
    return `no adb server of the agent answers: ${textOf(first)}`
  }
  // An agent that opens tunnels has a private socket instead of a port.
  const place = grpcListen ?? grpcSocketPath(dataDir)
  try {
    await progress.race('connecting', () => accepts(place))
    return null
  } catch (error) {
    return `the agent does not accept calls at ${place}: ${textOf(error)}`
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function accepts(place: string): Promise<void> {
  const { host, port } = splitHostPort(place)
  const everywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  const socket = place.startsWith('/')
    ? connect({ path: place })
    : connect({ host: everywhere[host] ?? host, port })
  try {
    await once(socket, 'connect')
  } finally {
    socket.destroy()
  }
}
