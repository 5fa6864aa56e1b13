/** `nats-config`: writes the configuration and the keys of a NATS server for several machines. */
import { accessSync, constants, existsSync } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { isLoopback, plain, shellWord } from '@phonerack/shared'
import { rotateBrokerKeys, writeBrokerConfig } from '@phonerack/shared/broker'
import { addEntry, commandActor } from '../../base/db/audit-log.js'
import { openDatabase } from '../../base/db/database.js'
import {
  certificateFile,
  checkName,
  ensureCertificate,
  hasAuthority,
  renewCertificate,
} from './broker-certificate.js'
import { replicaFiles, writeCopies, type Copies } from './nats-folders.js'
import { rotateAccount } from './rotate-account.js'
import { UsageError } from './usage-error.js'

export const natsConfigUsage = `       phonerack-control-plane nats-config --dir DIR [options]

       phonerack-control-plane nats-config --dir DIR --renew
       phonerack-control-plane nats-config --dir DIR --rotate
       phonerack-control-plane nats-config --dir DIR --rotate-account

Writes DIR/nats.conf for nats-server (operator, accounts, resolver, limits, TLS) and the keys that
the control plane needs. Keys that exist in DIR are kept. For an address that other machines can
connect to, the certificate authority of the hosts signs a certificate, DIR/broker.pem: run this
with DATABASE_URL and PHONERACK_PKI_DIR of the control plane. It is valid for a year.

  --listen ADDRESS:PORT  where nats-server listens (default: 127.0.0.1:4222)
  --name NAME            DNS name or IP address by which machines connect to it; repeat for
                         several (default: the address of --listen)
  --tls-cert FILE        your own certificate of nats-server (PEM), with --tls-key
  --tls-key FILE         the key of that certificate
  --without-tls          no TLS, for a private network or tunnel
  --store DIR            folder for the data of nats-server (default: DIR/jetstream)
  --replica-dir DIR      also copies the four files of a replica there
  --broker-dir DIR       also copies nats.conf and broker.pem there, for a nats-server that gets no
                         keys; its data is then in that folder
  --renew                only replaces DIR/broker.pem by a certificate for a year, with a new key
  --rotate               only replaces the keys of the operator and both .creds files; the earlier
                         ones are refused. account.seed and the users of hosts stay. With DATABASE_URL
                         of the control plane, the audit log gets an entry
  --rotate-account       also replaces account.seed; every host must join again. Run this with
                         DATABASE_URL and PHONERACK_PKI_DIR of the control plane
`

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the text to print. @throws UsageError, StartRefusal */
export async function natsConfig(args: readonly string[], env: Environment): Promise<string> {
  const given = parse(args)
  const dir = path.resolve(required(given.dir, 'dir'))
  const copies = {
    replica: folderOf(given['replica-dir'], 'replica-dir', dir),
    broker: folderOf(given['broker-dir'], 'broker-dir', dir),
  }
  if (given.renew === true) return renew(dir, copies, env)
  if (given['rotate-account'] === true) {
    if (!hasAuthority(env))
      throw new UsageError(
        '--rotate-account needs DATABASE_URL and PHONERACK_PKI_DIR as for the control plane, which stores the account of the hosts',
      )
    checkFolder(dir, '--rotate-account')
    const text = await rotateAccount(dir, env)
    writeCopies(dir, copies)
    return text
  }
  if (given.rotate === true) return rotate(dir, copies, env)
  const { host, port } = listen(given.listen ?? '127.0.0.1:4222')
  const own = tlsOf(given['tls-cert'], given['tls-key'])
  const names = namesOf(host, given.name ?? [], own !== null || given['without-tls'] === true)
  if (names.length > 0 && !hasAuthority(env))
    throw new UsageError(
      `--listen ${host} lets other machines connect: set DATABASE_URL and PHONERACK_PKI_DIR as for the control plane, so that its authority signs a certificate; or give --tls-cert and --tls-key, or --without-tls if the network is private`,
    )
  if (names.length > 0) await ensureCertificate(dir, names, env)
  const brokerDir = copies.broker ?? dir
  const signed = { certFile: certificateFile(brokerDir), keyFile: certificateFile(brokerDir) }
  const tls = names.length > 0 ? signed : own
  const storeDir = path.resolve(given.store ?? path.join(brokerDir, 'jetstream'))
  await writeBrokerConfig({ dir, host, port, tls, storeDir })
  writeCopies(dir, copies)
  const configFile = path.join(brokerDir, 'nats.conf')
  const replicaDir = copies.replica ?? dir
  return [
    `${plain(configFile)} is written. Start the broker:`,
    '',
    `  nats-server -c ${quoted(configFile)}`,
    '',
    'Environment of each replica of the control plane:',
    '',
    `  NATS_URL=${tls === null ? 'nats' : 'tls'}://${bracketed(names[0] ?? 'NAME-OF-THIS-MACHINE')}:${port}`,
    ...Object.entries(replicaFiles).map(([name, file]) => `  ${name}=${quoted(path.join(replicaDir, file))}`),
    ...(tls === null && !isLoopback(host) ? ['  PHONERACK_NATS_INSECURE=true', ''] : ['']),
    'Host agents get the address when they join. The files in this folder are secret: copy only these four files to other replicas.',
    '',
    ...(names.length > 0 ? [renewal(dir, copies), ''] : []),
  ].join('\n')
}

async function rotate(dir: string, copies: Copies, env: Environment): Promise<string> {
  checkFolder(dir, '--rotate')
  const { DATABASE_URL: url } = env
  // The audit entry comes first, so that no rotation lacks its entry.
  if (url) await recordRotation(url)
  const broker = await rotateBrokerKeys(dir)
  writeCopies(dir, copies)
  return [
    'The keys of the operator and the users of control planes are replaced. Copy these files to each replica:',
    '',
    ...[broker.controlPlaneCredsFile, broker.signingSeedFile, broker.systemCredsFile].map(
      (each) => `  ${plain(each)}`,
    ),
    '',
    `Copy ${plain(broker.configFile)} to the machine of nats-server if that is another machine. Then restart nats-server (a reload is`,
    'not enough), which then refuses the earlier keys, and restart the replicas.',
    '',
    `${plain(broker.accountSeedFile)} is not replaced: a person who copied it can still create users on this broker.`,
    'If a person may have a copy, run nats-config --rotate-account.',
    ...(url ? [] : ['The audit log has no entry about this rotation, since DATABASE_URL is not set.']),
    '',
  ].join('\n')
}

/** @throws Error when the database has no audit log, or cannot be used */
async function recordRotation(url: string): Promise<void> {
  const database = openDatabase(url, 1)
  try {
    await addEntry(database.db, commandActor('nats-config --rotate', new Date()), {
      action: 'nats.rotate_keys',
      target: null,
      before: null,
      after: null,
    })
  } finally {
    await database.close()
  }
}

/** @throws UsageError */
function checkFolder(dir: string, flag: string): void {
  const file = path.join(dir, 'nats.conf')
  if (!existsSync(file))
    throw new UsageError(`${plain(file)} does not exist: ${flag} is for a folder of nats-config`)
}

async function renew(dir: string, copies: Copies, env: Environment): Promise<string> {
  const ends = await renewCertificate(dir, env)
  writeCopies(dir, copies)
  return [
    `${plain(certificateFile(dir))} is renewed and valid until ${ends.toISOString().slice(0, 10)}. Let nats-server load it; its clients connect again within a second:`,
    '',
    '  nats-server --signal reload',
    '',
  ].join('\n')
}

const renewal = (dir: string, { broker }: Copies): string =>
  `The certificate is valid for a year. Renew it every month, for example with a timer:

  phonerack-control-plane nats-config --dir ${quoted(dir)}${broker === null ? '' : ` --broker-dir ${quoted(broker)}`} --renew && nats-server --signal reload`

/** Returns the names for a certificate to sign; empty if no certificate is needed. @throws UsageError */
function namesOf(host: string, given: readonly string[], isDecided: boolean): string[] {
  if (isDecided) {
    if (given.length > 0)
      throw new UsageError('--name is for a certificate that the authority of the hosts signs')
    return []
  }
  for (const name of given) checkName(name)
  if (given.length > 0) return [...new Set(given)]
  if (isLoopback(host)) return []
  if (host === '0.0.0.0' || host === '::')
    throw new UsageError(`--listen ${host} needs --name, by which machines connect to nats-server`)
  return [host]
}

const bracketed = (name: string): string => (isIP(name) === 6 ? `[${name}]` : name)

const quoted = (file: string): string => shellWord(plain(file))

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: false,
      options: {
        dir: { type: 'string' },
        listen: { type: 'string' },
        name: { type: 'string', multiple: true },
        renew: { type: 'boolean' },
        rotate: { type: 'boolean' },
        'rotate-account': { type: 'boolean' },
        'tls-cert': { type: 'string' },
        'tls-key': { type: 'string' },
        'without-tls': { type: 'boolean' },
        store: { type: 'string' },
        'replica-dir': { type: 'string' },
        'broker-dir': { type: 'string' },
      },
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : String(error))
  }
}

/** @throws UsageError */
function folderOf(value: string | undefined, name: string, dir: string): string | null {
  if (value === undefined) return null
  const folder = path.resolve(required(value, name))
  if (folder === dir) throw new UsageError(`--${name} must be another folder than --dir`)
  return folder
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
