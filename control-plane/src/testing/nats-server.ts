/** For tests: a nats-server with a configuration that `nats-config` wrote. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { isListening, pickPort } from '@phonerack/launcher'
import { findNats } from '@phonerack/launcher/nats'

/** A free port that no other process picks while this one runs, and that no outgoing connection takes. */
export const natsPort = (): Promise<number> =>
  pickPort(undefined, undefined, { lowest: 10_100, highest: 20_000 })

export interface NatsServer {
  process: ChildProcess
  close(): Promise<void>
}

/** Returns once it listens on `port`. @throws Error with its log when it ends instead */
export async function startNatsServer(configFile: string, port: number): Promise<NatsServer> {
  const server = spawn(await findNats(), ['-c', configFile], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  server.stderr.on('data', (data: Buffer) => (log += data.toString()))
  while (!(await isListening(port))) {
    if (server.exitCode !== null) throw new Error(`nats-server ended:\n${log}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    process: server,
    async close() {
      if (server.exitCode !== null) return
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
    },
  }
}
