/** Runs a nats-server, for tests, with a configuration that `nats-config` wrote. */
import path from 'node:path'
import { isListening, startChild, waitUntil, type Running } from '@phonerack/launcher'
import { findNats } from '@phonerack/launcher/nats'

/**
 * Returns once the server listens on `port`.
 * @throws Error with its last log lines when it does not listen
 */
export async function startNatsServer(configFile: string, port: number): Promise<Running> {
  const running = await startChild({
    command: await findNats(),
    args: ['-c', configFile],
    env: { PATH: process.env['PATH'] },
    cwd: path.dirname(configFile),
    recordFile: `${configFile}.pid.json`,
    output: () => undefined,
  })
  await waitUntil('nats-server', running, 60_000, () => isListening(port))
  return running
}
