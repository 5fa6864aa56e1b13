/** The private socket of an agent that opens tunnels: the other end of each tunnel inside the agent. */
import { dirname, join } from 'node:path'
import { adbSocketPath } from '../adb/server.js'

export const grpcSocketPath = (dataDir: string): string => join(dirname(adbSocketPath(dataDir)), 'grpc.sock')
