/**
 * The broker's chain of trust: an operator signs the account; the account's seed, which the control plane
 * holds, signs a user for each host. Seeds are created once and kept in the broker's folder, readable by its
 * owner only. Source: NATS decentralised JWT authentication.
 */
import {
  createAccount,
  createOperator,
  createUser,
  encodeAccount,
  encodeOperator,
  encodeUser,
  fmtCreds,
  fromSeed,
  type KeyPair,
} from '@nats-io/jwt'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export interface BrokerTrust {
  operatorJwt: string
  systemAccount: { id: string; jwt: string }
  account: { id: string; jwt: string }
  /** nkey seed of the account (`SA…`). */
  accountSeedFile: string
  /** User with all rights in the account. */
  controlPlaneCredsFile: string
}

const unlimited = {
  conn: -1,
  leaf: -1,
  imports: -1,
  exports: -1,
  wildcards: true,
  subs: -1,
  data: -1,
  payload: -1,
}
const withJetStream = { ...unlimited, mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }

/** Reads the trust chain in `dir`, or creates it. The account's id is the same at every start. */
export async function ensureTrust(dir: string): Promise<BrokerTrust> {
  const operator = keptKey(path.join(dir, 'operator.seed'), createOperator)
  const system = keptKey(path.join(dir, 'system-account.seed'), createAccount)
  const accountSeedFile = path.join(dir, 'account.seed')
  const account = keptKey(accountSeedFile, createAccount)
  const controlPlaneCredsFile = path.join(dir, 'control-plane.creds')
  if (!existsSync(controlPlaneCredsFile)) {
    const user = createUser()
    const jwt = await encodeUser('control-plane', user, account)
    writeFileSync(controlPlaneCredsFile, fmtCreds(jwt, user), { mode: 0o600, flag: 'wx' })
  }
  return {
    operatorJwt: await encodeOperator('phonerack', operator, { system_account: system.getPublicKey() }),
    systemAccount: {
      id: system.getPublicKey(),
      jwt: await encodeAccount('system', system, { limits: unlimited }, { signer: operator }),
    },
    account: {
      id: account.getPublicKey(),
      jwt: await encodeAccount('phonerack', account, { limits: withJetStream }, { signer: operator }),
    },
    accountSeedFile,
    controlPlaneCredsFile,
  }
}

function keptKey(file: string, make: () => KeyPair): KeyPair {
  if (existsSync(file)) return fromSeed(new TextEncoder().encode(readFileSync(file, 'utf8').trim()))
  const pair = make()
  writeFileSync(file, new TextDecoder().decode(pair.getSeed()) + '\n', { mode: 0o600, flag: 'wx' })
  return pair
}
