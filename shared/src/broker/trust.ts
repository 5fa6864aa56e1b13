/**
 * The broker's chain of trust: an operator signs the account, itself or by its signing key, which the control plane
 * holds to revoke users; the account's seed, which the control plane holds too, signs a user for each host. Seeds are
 * created once and kept in the broker's folder, readable by its owner only. Source: NATS decentralised JWT
 * authentication.
 */
import {
  createAccount,
  createOperator,
  createUser,
  encodeAccount,
  encodeOperator,
  encodeUser,
  decode,
  fmtCreds,
  fromSeed,
  parseCreds,
  type Account,
  type KeyPair,
  type User,
} from '@nats-io/jwt'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

export interface BrokerTrust {
  operatorJwt: string
  systemAccount: { id: string; jwt: string }
  account: { id: string; jwt: string }
  /** nkey seed of the account (`SA…`). */
  accountSeedFile: string
  /** User with all rights in the account. */
  controlPlaneCredsFile: string
  /** nkey seed of the operator's signing key (`SO…`). */
  signingSeedFile: string
  /** User of the system account that may read and replace the claims of the account. */
  systemCredsFile: string
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

/** Claims of the account, without revocations. */
export const accountOptions: Partial<Account> = {
  limits: { ...unlimited, mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 },
}

/** Requests to the resolver, in the system account. */
export const systemSubjects = {
  lookUp: (account: string): string => `$SYS.REQ.ACCOUNT.${account}.CLAIMS.LOOKUP`,
  update: '$SYS.REQ.CLAIMS.UPDATE',
  /** Facts of a server, with its operators. */
  facts: '$SYS.REQ.SERVER.PING.VARZ',
} as const

/** Reads the trust chain in `dir`, or creates it. The account's id is the same at every start. */
export async function ensureTrust(dir: string): Promise<BrokerTrust> {
  const of = (name: string): string => path.join(dir, name)
  const operator = keptKey(of('operator.seed'), createOperator)
  const signingSeedFile = of('operator-signing.seed')
  const signing = keptKey(signingSeedFile, createOperator)
  const system = keptKey(of('system-account.seed'), createAccount)
  const accountSeedFile = of('account.seed')
  const account = keptKey(accountSeedFile, createAccount)
  const id = account.getPublicKey()
  const systemId = system.getPublicKey()
  return {
    operatorJwt: await encodeOperator('phonerack', operator, {
      system_account: systemId,
      signing_keys: [signing.getPublicKey()],
    }),
    systemAccount: {
      id: systemId,
      jwt: await encodeAccount(
        'system',
        system,
        { limits: unlimited, ...revocationsOf(dir, 'system') },
        { signer: operator },
      ),
    },
    account: {
      id,
      // Kept, since newer claims replace those in the broker's store, which have the revocations.
      jwt: await kept(of('account.jwt'), () =>
        encodeAccount(
          'phonerack',
          account,
          { ...accountOptions, ...revocationsOf(dir, 'account') },
          { signer: operator },
        ),
      ),
    },
    accountSeedFile,
    controlPlaneCredsFile: await keptUser(of('control-plane.creds'), 'control-plane', account, {}),
    signingSeedFile,
    systemCredsFile: await keptUser(of('system.creds'), 'control-plane', system, {
      pub: { allow: [systemSubjects.lookUp(id), systemSubjects.update, systemSubjects.facts] },
      sub: { allow: ['_INBOX.>'] },
    }),
  }
}

/** Users of control planes that were replaced: public keys, and the second of their end. */
const replacedSchema = z.object({
  account: z.record(z.string(), z.number()),
  system: z.record(z.string(), z.number()),
})
const replacedFile = (dir: string): string => path.join(dir, 'replaced-users.json')

function readReplaced(dir: string): z.infer<typeof replacedSchema> {
  const file = replacedFile(dir)
  return existsSync(file)
    ? replacedSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
    : { account: {}, system: {} }
}

function revocationsOf(dir: string, account: 'account' | 'system'): Pick<Account, 'revocations'> {
  const revocations = readReplaced(dir)[account]
  return Object.keys(revocations).length === 0 ? {} : { revocations }
}

/**
 * Replaces all that control planes hold of the broker, except the account's seed, which would end the users of all
 * hosts: the operator's signing key, and both users, which are revoked. After an interruption, repeat it.
 */
export async function rotateTrust(dir: string): Promise<BrokerTrust> {
  const of = (name: string): string => path.join(dir, name)
  const users = { account: of('control-plane.creds'), system: of('system.creds') }
  const replaced = readReplaced(dir)
  const until = Math.floor(Date.now() / 1000) + 86_400
  for (const account of ['account', 'system'] as const) {
    if (!existsSync(users[account])) continue
    const { jwt } = await parseCreds(readFileSync(users[account]))
    replaced[account][decode<User>(jwt).sub] = until
  }
  const part = `${replacedFile(dir)}.part`
  writeFileSync(part, `${JSON.stringify(replaced)}\n`, { mode: 0o600 })
  renameSync(part, replacedFile(dir))
  // The new claims of the account are newer than those that the broker has.
  for (const file of [of('account.jwt'), users.account, users.system, of('operator-signing.seed')])
    rmSync(file, { force: true })
  return ensureTrust(dir)
}

async function kept(file: string, make: () => Promise<string>): Promise<string> {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  const text = await make()
  writeFileSync(file, `${text}\n`, { mode: 0o600, flag: 'wx' })
  return text
}

async function keptUser(
  file: string,
  name: string,
  account: KeyPair,
  rights: Partial<User>,
): Promise<string> {
  await kept(file, async () => {
    const user = createUser()
    return new TextDecoder().decode(fmtCreds(await encodeUser(name, user, account, rights), user))
  })
  return file
}

function keptKey(file: string, make: () => KeyPair): KeyPair {
  if (existsSync(file)) return fromSeed(new TextEncoder().encode(readFileSync(file, 'utf8').trim()))
  const pair = make()
  writeFileSync(file, new TextDecoder().decode(pair.getSeed()) + '\n', { mode: 0o600, flag: 'wx' })
  return pair
}
