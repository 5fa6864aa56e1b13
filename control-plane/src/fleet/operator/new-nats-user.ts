/**
 * Checks that a host joins with a new NATS user. The key of a current host is never revoked, so a revoked
 * user would get access again through a host with its key. Ending a host with the control plane's key would
 * end the control plane's user. docs/decisions/0221
 */
import { invalidField } from '../../base/validation/fields.js'
import { type Work } from '../../base/audit/work.js'

export type NatsUserCheck = (tx: Work['tx'], publicKey: string) => Promise<void>

/**
 * Returns a check that throws ApiError validation_failed. Joins with the same key wait until the transaction
 * ends.
 * @param own public key of the control plane's NATS user; null: it has no NATS user
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
