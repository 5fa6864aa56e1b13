/**
 * A host joins with a NATS user that no machine had: the key of a current host is never revoked, so an ended user
 * would return with it, and the end of a host with the control plane's key would end the control plane's user.
 * docs/decisions/0221
 */
import { invalidField } from '../../base/validation/fields.js'
import { type Work } from '../../base/audit/work.js'

export type NatsUserCheck = (tx: Work['tx'], publicKey: string) => Promise<void>

/**
 * The check throws ApiError validation_failed. Until the transaction ends, joins with the same key wait.
 * @param own public key of the control plane's user; null: it has none
 */
export const natsUserCheck =
  (own: string | null): NatsUserCheck =>
  async (tx, publicKey) => {
    if (publicKey === own) throw used()
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`nats user ${publicKey}`}, 0))`
    const [row] = await tx.$queryRaw<{ isUsed: boolean }[]>`
      select exists (select 1 from hosts where nats_public_key = ${publicKey})
        or exists (select 1 from revoked_nats_users where public_key = ${publicKey}) as "isUsed"`
    if (row?.isUsed !== false) throw used()
  }

const used = () => invalidField('nats_public_key', 'is already used: send the key of a new NATS user')
