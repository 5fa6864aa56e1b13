/** Writes the configuration file of a NATS server, with the keys that hosts and the control plane use there. */
import path from 'node:path'
import { z } from 'zod'
import { makePrivateFolder, readPrivate, replacePrivate } from '../private-file.js'
import { ensureTrust, rotateTrust, type BrokerTrust } from './trust.js'

export interface BrokerOptions {
  /**
   * The folder of the keys and the file. It is created with mode 0700 if it is absent; an existing folder
   * keeps its mode.
   */
  dir: string
  host: string
  port: number
  /** Paths on the broker's machine. Null: connections are not encrypted. */
  tls: { certFile: string; keyFile: string } | null
  /** Folder for JetStream's files and the claims of accounts, on the broker's machine. */
  storeDir: string
}

export interface BrokerConfig {
  configFile: string
  /** Public key of the account, `A…`. */
  account: string
  /** nkey seed of the account, which signs the users of hosts. */
  accountSeedFile: string
  /** `.creds` of a user with all rights in the account. */
  controlPlaneCredsFile: string
  /** nkey seed that signs the account. */
  signingSeedFile: string
  /** `.creds` of a user that may replace the claims of the account. */
  systemCredsFile: string
}

/**
 * Writes the keys and the configuration. Existing keys in `dir` are kept, so that hosts are still accepted
 * after a second call.
 */
export async function writeBrokerConfig(options: BrokerOptions): Promise<BrokerConfig> {
  const { dir } = options
  makePrivateFolder(dir)
  const trust = await ensureTrust(dir)
  return write(dir, configuration(options, trust), trust)
}

/**
 * Replaces the keys of the operator and the keys and users that control planes have, and writes their names
 * to the configuration, whose other settings are kept.
 * @param replacesAccount whether the account of the hosts is replaced too; the hosts must then join again
 * @throws Error when the folder has no `nats.conf`
 */
export async function rotateBrokerKeys(
  dir: string,
  { replacesAccount = false }: { replacesAccount?: boolean } = {},
): Promise<BrokerConfig> {
  const text = readPrivate(path.join(dir, 'nats.conf'))
  if (text === null) throw new Error(`${dir} has no nats.conf`)
  const settings = z.record(z.string(), z.unknown()).parse(JSON.parse(text))
  const trust = await rotateTrust(dir, replacesAccount)
  const resolver = resolverSchema.safeParse(settings['resolver']).data
  // The broker compares claims by their time and keeps the newer ones, so claims that the earlier key signed
  // must not be in the folder.
  const claims =
    resolver === undefined
      ? {}
      : { resolver: { ...resolver, dir: path.join(path.dirname(resolver.dir), trust.claimsFolder) } }
  return write(dir, { ...settings, ...trustSettings(trust), ...claims }, trust)
}

/** A configuration of an earlier release has a resolver without a folder. */
const resolverSchema = z.looseObject({ dir: z.string() })

function write(dir: string, settings: object, trust: BrokerTrust): BrokerConfig {
  const configFile = path.join(dir, 'nats.conf')
  // JSON is a subset of the server's configuration language.
  replacePrivate(configFile, `${JSON.stringify(settings, null, 2)}\n`)
  const { account, accountSeedFile, controlPlaneCredsFile, signingSeedFile, systemCredsFile } = trust
  return {
    configFile,
    account: account.id,
    accountSeedFile,
    controlPlaneCredsFile,
    signingSeedFile,
    systemCredsFile,
  }
}

/**
 * Our clients wait for the same time (`bus.ts`). After a loss of the network all hosts connect at the same
 * time, and the server's default of 2 s is too short for them.
 */
const handshakeSeconds = 5

const configuration = ({ host, port, tls, storeDir }: BrokerOptions, trust: BrokerTrust): object => ({
  server_name: 'phonerack',
  host,
  port,
  ...(tls === null
    ? {}
    : { tls: { cert_file: tls.certFile, key_file: tls.keyFile, timeout: handshakeSeconds } }),
  ...trustSettings(trust),
  // The broker takes the account's claims, with the revocations, from the control plane and keeps them. A
  // server of a cluster that was down gets newer claims from the other servers after this interval. Until
  // then it accepts revoked users.
  resolver: {
    type: 'full',
    dir: path.join(storeDir, trust.claimsFolder),
    allow_delete: false,
    interval: '10s',
  },
  // The limits are set because streams store little, and a broker must not fill the disk.
  jetstream: { store_dir: storeDir, max_memory_store: 256 << 20, max_file_store: 4 * 2 ** 30 },
  max_payload: 1 << 20,
})

const trustSettings = ({ operatorJwt, systemAccount, account }: BrokerTrust): object => ({
  operator: operatorJwt,
  system_account: systemAccount.id,
  resolver_preload: { [systemAccount.id]: systemAccount.jwt, [account.id]: account.jwt },
})
