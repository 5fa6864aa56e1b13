/** Compares the configuration of a replica with the database, before it starts. */
import { type Logger } from '@phonerack/shared'
import { type Config } from '../base/config/config.js'
import { type OpenDatabase } from '../base/db/database.js'
import { openInstallation } from '../base/db/installation.js'
import { refuseOtherToken } from '../fleet/operator/configured.js'
import { type Authorities } from '../base/pki/authorities.js'
import { openNatsUsers, type NatsUsers } from '../base/pki/nats-users.js'

/** @throws StartRefusal when the configuration does not fit the database, whose connection is then closed. */
export async function admitReplica(
  config: Config,
  database: OpenDatabase,
  log: Logger,
): Promise<{ authority: Authorities; natsUsers: NatsUsers | null }> {
  try {
    const natsUsers = config.natsAccountSeedFile ? await openNatsUsers(config.natsAccountSeedFile) : null
    const authority = await openInstallation(database.db, config, natsUsers?.account ?? null, log)
    await refuseOtherToken(database.db, config)
    return { authority, natsUsers }
  } catch (error) {
    await database.close()
    throw error
  }
}
