/**
 * NATS servers of one cluster. All have the operator, the account and the users of one folder, as
 * `nats-config` writes them; each server has a separate name and a separate folder for claims.
 * docs/operations.md, A cluster of NATS servers
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { findNats, isListening, pickPort } from '@phonerack/launcher'
import { writeBrokerConfig, type BrokerConfig } from '@phonerack/shared/broker'
import { openCable, type Cable } from '@phonerack/e2e/system/cable.js'
import { Part, serviceOf, type Ground } from './part.js'

export interface Brokers {
  config: BrokerConfig
  parts: Part[]
  /** The proxies through which clients reach the brokers, in the order of the brokers. */
  clients: Cable[]
  /** The proxies through which the other brokers reach a broker, in the order of the brokers. */
  routes: Cable[]
  /** Addresses for clients. */
  urls: string[]
}

export async function startBrokers(ground: Ground, count: number): Promise<Brokers> {
  const keys = ground.of('nats')
  const config = await writeBrokerConfig({
    dir: keys,
    host: '127.0.0.1',
    port: 4222,
    tls: null,
    storeDir: path.join(keys, 'store'),
  })
  const command = await findNats()
  const ports = await Promise.all(Array.from({ length: count }, () => pickPort()))
  const routePorts = await Promise.all(Array.from({ length: count }, () => pickPort()))
  const clients = await Promise.all(ports.map((port) => openCable(port)))
  const routes = await Promise.all(routePorts.map((port) => openCable(port)))
  const text = await readFile(config.configFile, 'utf8')
  const settings = JSON.parse(text) as Record<string, unknown>
  // The service uses no streams, so a cluster needs no JetStream.
  delete settings['jetstream']
  const parts = await Promise.all(
    ports.map(async (port, at) => {
      const name = `broker-${at + 1}`
      const file = path.join(keys, `${name}.conf`)
      const claims = path.join(keys, name, 'accounts')
      const own = {
        server_name: name,
        port,
        client_advertise: `127.0.0.1:${clients[at]?.port ?? 0}`,
        resolver: { ...(settings['resolver'] as object), dir: claims },
        ...(count === 1
          ? {}
          : {
              cluster: {
                name: 'phonerack',
                listen: `127.0.0.1:${routePorts[at] ?? 0}`,
                advertise: `127.0.0.1:${routes[at]?.port ?? 0}`,
                routes: routes
                  .filter((__, other) => other !== at)
                  .map((cable) => `nats://127.0.0.1:${cable.port}`),
              },
            }),
      }
      await writeFile(file, JSON.stringify({ ...settings, ...own }, null, 2), { mode: 0o600 })
      const program = { name, command, args: ['-c', file], env: {}, ready: () => isListening(port) }
      return new Part(ground, serviceOf(ground, program))
    }),
  )
  await Promise.all(parts.map((part) => part.start()))
  return { config, parts, clients, routes, urls: clients.map((cable) => `nats://127.0.0.1:${cable.port}`) }
}
