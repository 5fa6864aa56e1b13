/** NATS users for host agents: JWTs signed with the account's seed, limited to the agent's own subjects. */
import { readFile } from 'node:fs/promises'
import { encodeUser, fromPublic, fromSeed, type KeyPair } from '@nats-io/jwt'
import { subjects, type AgentOnBus } from '@phonerack/shared'

export interface NatsUsers {
  /** Public key of the account that signs the users, `A…`. */
  readonly account: string
  /** @param publicKey the agent's user nkey, `U…` @throws Error for any other text */
  issue(agent: AgentOnBus, publicKey: string): Promise<string>
}

export async function openNatsUsers(seedFile: string): Promise<NatsUsers> {
  const seed = (await readFile(seedFile, 'utf8')).trim()
  return natsUsers(fromSeed(new TextEncoder().encode(seed)))
}

const natsUsers = (account: KeyPair): NatsUsers => ({
  account: account.getPublicKey(),
  async issue(agent, publicKey) {
    if (!publicKey.startsWith('U')) throw new Error('not a NATS user key')
    return encodeUser(agent.hostId, fromPublic(publicKey), account, {
      pub: { allow: [subjects.heartbeat(agent)] },
      sub: { allow: [subjects.announce(agent), `_INBOX.${agent.hostId}.>`] },
    })
  },
})
