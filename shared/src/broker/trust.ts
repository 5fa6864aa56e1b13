/**
 * The broker's chain of trust. An operator signs the account with its own key or with its signing key. The
 * control plane has the signing key, to revoke users, and the account's seed, which signs a user for each
 * host. Seeds are created once and kept in the broker's folder, where only the owner can read them. Source:
 * NATS decentralised JWT authentication.
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
  /** Name of the folder for the claims that the broker stores. Each rotation changes the name. */
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
      // The file is kept, since new claims would be newer than the claims in the broker's store, and replace
      // them with their revocations.
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

/** Replaced users of control planes: public keys, and the second of the user's end. */
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
 * Replaces the keys of the operator and of the system account, and both users of control planes. The
 * account's seed is kept unless `replacesAccount`, since a new seed ends the users of all hosts; with the
 * kept seed, the earlier user of control planes is revoked. The broker ignores the claims that it stored
 * before, which an earlier key may have signed. After an interruption, call the function again.
 */
export async function rotateTrust(dir: string, replacesAccount: boolean): Promise<BrokerTrust> {
  const { account } = readReplaced(dir)
  const creds = readPrivate(path.join(dir, 'control-plane.creds'))
  if (creds !== null) {
    const { jwt } = await parseCreds(new TextEncoder().encode(creds))
    account[decode<User>(jwt).sub] = Math.floor(Date.now() / 1000) + 86_400
  }
  const claimsFolder = `accounts-${randomBytes(6).toString('hex')}`
  // A new system account ends its earlier users.
  const replaced = { account: replacesAccount ? {} : account, system: {}, claimsFolder }
  replacePrivate(replacedFile(dir), `${JSON.stringify(replaced)}\n`)
  return openTrust(dir, replace, replacesAccount ? replace : createIfMissing)
}

/** Writes the result of `make` to the file, or keeps the file. Returns the content of the file. */
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
