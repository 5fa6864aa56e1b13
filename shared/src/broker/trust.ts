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
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { z } from 'zod'
import { createPrivate, readPrivate, replacePrivate } from '../private-file.js'

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
  /** Name of the folder for the claims that the broker stores. Each rotation gives another one. */
  claimsFolder: string
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
export const ensureTrust = (dir: string): Promise<BrokerTrust> =>
  openTrust(dir, createIfMissing, createIfMissing)

async function openTrust(dir: string, write: Writer, writeAccount: Writer): Promise<BrokerTrust> {
  const of = (name: string): string => path.join(dir, name)
  const operator = await keyIn(of('operator.seed'), createOperator, write)
  const signingSeedFile = of('operator-signing.seed')
  const signing = await keyIn(signingSeedFile, createOperator, write)
  const system = await keyIn(of('system-account.seed'), createAccount, write)
  const accountSeedFile = of('account.seed')
  const account = await keyIn(accountSeedFile, createAccount, writeAccount)
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
      jwt: await write(of('account.jwt'), () =>
        encodeAccount(
          'phonerack',
          account,
          { ...accountOptions, ...revocationsOf(dir, 'account') },
          { signer: operator },
        ),
      ),
    },
    accountSeedFile,
    controlPlaneCredsFile: await userIn(of('control-plane.creds'), account, {}, write),
    signingSeedFile,
    systemCredsFile: await userIn(of('system.creds'), system, systemRights(id), write),
    claimsFolder: readReplaced(dir).claimsFolder,
  }
}

const systemRights = (account: string): Partial<User> => ({
  pub: { allow: [systemSubjects.lookUp(account), systemSubjects.update, systemSubjects.facts] },
  sub: { allow: ['_INBOX.>'] },
})

/** Users of control planes that were replaced: public keys, and the second of their end. */
const replacedSchema = z.object({
  account: z.record(z.string(), z.number()),
  system: z.record(z.string(), z.number()),
  claimsFolder: z
    .string()
    .regex(/^accounts(-[0-9a-f]+)?$/)
    .default('accounts'),
})
const replacedFile = (dir: string): string => path.join(dir, 'replaced-users.json')

function readReplaced(dir: string): z.infer<typeof replacedSchema> {
  const text = readPrivate(replacedFile(dir)) ?? '{"account":{},"system":{}}'
  return replacedSchema.parse(JSON.parse(text))
}

function revocationsOf(dir: string, account: 'account' | 'system'): Pick<Account, 'revocations'> {
  const revocations = readReplaced(dir)[account]
  return Object.keys(revocations).length === 0 ? {} : { revocations }
}

/**
 * Replaces the keys of the operator and of the system account, and both users of control planes. The account's seed
 * stays unless `replacesAccount`, since the users of all hosts end with it; then the earlier user of control planes is
 * revoked. Claims that the broker has stored, which an earlier key may have signed, count no longer. After an
 * interruption, repeat it.
 */
export async function rotateTrust(dir: string, replacesAccount: boolean): Promise<BrokerTrust> {
  const { account } = readReplaced(dir)
  const creds = readPrivate(path.join(dir, 'control-plane.creds'))
  if (creds !== null) {
    const { jwt } = await parseCreds(new TextEncoder().encode(creds))
    account[decode<User>(jwt).sub] = Math.floor(Date.now() / 1000) + 86_400
  }
  const claimsFolder = `accounts-${randomBytes(6).toString('hex')}`
  // The earlier users of the system account end with it.
  const replaced = { account: replacesAccount ? {} : account, system: {}, claimsFolder }
  replacePrivate(replacedFile(dir), `${JSON.stringify(replaced)}\n`)
  return openTrust(dir, replace, replacesAccount ? replace : createIfMissing)
}

/** Writes what `make` returns, and returns the text that the file has then. */
type Writer = (file: string, make: () => string | Promise<string>) => Promise<string>

const createIfMissing: Writer = async (file, make) =>
  (readPrivate(file) ?? createPrivate(file, `${await make()}\n`)).trim()

const replace: Writer = async (file, make) => {
  const text = await make()
  replacePrivate(file, `${text}\n`)
  return text
}

async function userIn(file: string, account: KeyPair, rights: Partial<User>, write: Writer): Promise<string> {
  await write(file, async () => {
    const user = createUser()
    return new TextDecoder().decode(fmtCreds(await encodeUser('control-plane', user, account, rights), user))
  })
  return file
}

async function keyIn(file: string, make: () => KeyPair, write: Writer): Promise<KeyPair> {
  const seed = await write(file, () => new TextDecoder().decode(make().getSeed()))
  return fromSeed(new TextEncoder().encode(seed))
}
