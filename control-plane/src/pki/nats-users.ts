/** NATS users for hosts: JWTs signed with the account's seed, limited to the host's own subjects. */
import { readFile } from 'node:fs/promises'
import { encodeUser, fromPublic, fromSeed, type KeyPair } from '@nats-io/jwt'
import { subjects } from '@phonerack/shared'

export interface NatsUsers {
  /** Public key of the account that signs them, `A…`. */
  readonly account: string
  /** @param publicKey the host's user nkey, `U…` @throws Error when it is not one */
  issue(hostId: string, publicKey: string): Promise<string>
}

export async function openNatsUsers(seedFile: string): Promise<NatsUsers> {
  const seed = (await readFile(seedFile, 'utf8')).trim()
  return natsUsers(fromSeed(new TextEncoder().encode(seed)))
}

const natsUsers = (account: KeyPair): NatsUsers => ({
  account: account.getPublicKey(),
  async issue(hostId, publicKey) {
    if (!publicKey.startsWith('U')) throw new Error('not a NATS user key')
    return encodeUser(hostId, fromPublic(publicKey), account, {
      pub: { allow: [`phonerack.host.${hostId}.>`] },
      sub: { allow: [subjects.announce(hostId), `_INBOX.${hostId}.>`] },
    })
  },
})
