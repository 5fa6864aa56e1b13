/** `nats-config`: writes the configuration and the keys of a NATS server for several machines. */
import { accessSync, constants } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { isLoopback, plain, shellWord } from '@phonerack/shared'
import { writeBrokerConfig } from '@phonerack/shared/broker'
import { UsageError } from './usage-error.js'

export const natsConfigUsage = `       phonerack-control-plane nats-config --dir DIR [options]

Writes DIR/nats.conf for nats-server (operator, accounts, resolver, limits) and the keys that the
control plane needs. Keys that exist in DIR are kept.

  --listen ADDRESS:PORT  where nats-server listens (default: 127.0.0.1:4222)
  --tls-cert FILE        certificate of nats-server (PEM), with --tls-key; required for an
  --tls-key FILE         address that other machines can connect to
  --without-tls          accepts such an address without TLS, for a private network or tunnel
  --store DIR            folder for JetStream's files (default: DIR/jetstream)
`

/** Returns the text to print. @throws UsageError */
export async function natsConfig(args: readonly string[]): Promise<string> {
  const given = parse(args)
  const dir = path.resolve(required(given.dir, 'dir'))
  const { host, port } = listen(given.listen ?? '127.0.0.1:4222')
  const tls = tlsOf(given['tls-cert'], given['tls-key'])
  if (tls === null && !isLoopback(host) && given['without-tls'] !== true)
    throw new UsageError(
      `--listen ${host} lets other machines connect: give --tls-cert and --tls-key, or --without-tls if the network is private`,
    )
  const storeDir = path.resolve(given.store ?? path.join(dir, 'jetstream'))
  const broker = await writeBrokerConfig({ dir, host, port, tls, storeDir })
  return [
    `${plain(broker.configFile)} is written. Start the broker:`,
    '',
    `  nats-server -c ${quoted(broker.configFile)}`,
    '',
    'Environment of each replica of the control plane:',
    '',
    `  NATS_URL=${tls === null ? 'nats' : 'tls'}://NAME-OF-THIS-MACHINE:${port}`,
    `  NATS_CREDS_FILE=${quoted(broker.controlPlaneCredsFile)}`,
    `  NATS_ACCOUNT_SEED_FILE=${quoted(broker.accountSeedFile)}`,
    '',
    'Host agents need NATS_URL only. The files in this folder are secret: copy these two to other replicas.',
    '',
  ].join('\n')
}

const quoted = (file: string): string => shellWord(plain(file))

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: false,
      options: {
        dir: { type: 'string' },
        listen: { type: 'string' },
        'tls-cert': { type: 'string' },
        'tls-key': { type: 'string' },
        'without-tls': { type: 'boolean' },
        store: { type: 'string' },
      },
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : String(error))
  }
}

function required(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing`)
  return value
}

function listen(text: string): { host: string; port: number } {
  const found = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text)
  const host = found?.[1] ?? found?.[2] ?? ''
  const port = Number(found?.[3])
  if ((isIP(host) === 0 && host !== 'localhost') || !(port >= 1 && port <= 65_535))
    throw new UsageError(`--listen must be ADDRESS:PORT with an IP address, not ${text}`)
  return { host, port }
}

function tlsOf(cert: string | undefined, key: string | undefined) {
  if (cert === undefined && key === undefined) return null
  const [certFile, keyFile] = [required(cert, 'tls-cert'), required(key, 'tls-key')].map((file) =>
    path.resolve(file),
  )
  for (const file of [certFile, keyFile]) readable(file ?? '')
  return { certFile: certFile ?? '', keyFile: keyFile ?? '' }
}

function readable(file: string): void {
  try {
    accessSync(file, constants.R_OK)
  } catch (error) {
    throw new UsageError(`${file} cannot be read`, { cause: error })
  }
}
