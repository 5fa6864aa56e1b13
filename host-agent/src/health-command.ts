/** `phonerack-agent health`: whether the agent of this state folder works, for the health check of a container. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { Progress } from '@phonerack/shared'
import { AdbClient } from './adb/client.js'
import { runningAgent } from './adb/process-identity.js'
import { adbSocketPath } from './adb/server.js'
import { splitHostPort } from './base/host-port.js'
import type { Io } from './cli/io.js'
import type { Config } from './config.js'
import { grpcSocketPath } from './grpc/socket.js'

const limitMs = 4000

/** @param config the valid configuration, or its problem @returns the exit code */
export async function runHealth(config: Config | { problem: string }, io: Io): Promise<number> {
  const fault = 'problem' in config ? config.problem : await faultOf(config)
  io.out(fault === null ? 'ok\n' : `${fault}\n`)
  return fault === null ? 0 : 1
}

async function faultOf({ dataDir, grpcListen }: Config): Promise<string | null> {
  if (runningAgent(dataDir) === null) return `no agent runs in ${dataDir}`
  const progress = Progress.for(limitMs)
  try {
    await new AdbClient(adbSocketPath(dataDir)).devices(progress)
  } catch (error) {
    return `the adb server of the agent does not answer: ${textOf(error)}`
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
