/** The private socket of an agent that opens tunnels: the end of each tunnel inside the agent. */
import { join } from 'node:path'
import { adbSocketDir } from '../../adb/sockets.js'

export const grpcSocketPath = (dataDir: string): string => join(adbSocketDir(dataDir), 'grpc.sock')
