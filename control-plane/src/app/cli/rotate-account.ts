/**
 * `nats-config --rotate-account`: replaces the account of the hosts on the broker, and all other keys of the broker.
 * Every host must join again afterwards.
 */
import { createLogger, plain } from '@phonerack/shared'
import { rotateBrokerKeys } from '@phonerack/shared/broker'
import { readConfig } from '../../base/config/config.js'
import { addEntry, commandActor } from '../../base/db/audit-log.js'
import { inTransaction, openDatabase } from '../../base/db/database.js'
import { openInstallation } from '../../base/db/installation.js'
import { takeStartLock } from '../../base/db/start-lock.js'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the text to print. @throws StartRefusal when the environment belongs to another installation */
export async function rotateAccount(dir: string, env: Environment): Promise<string> {
  const config = readConfig({ ...env, NATS_URL: 'nats://127.0.0.1', PHONERACK_NEW_AUTHORITY: 'no' })
  // The lock keeps replicas from starting with the earlier account until the command ends.
  const lock = await takeStartLock(config.databaseUrl, true)
  const database = openDatabase(config.databaseUrl, 2)
  try {
    const { db } = database
    await openInstallation(db, config, null, createLogger('nats-config'))
    const broker = await rotateBrokerKeys(dir, { replacesAccount: true })
    // After an interruption before this transaction, the next run of the command replaces the files again.
    await inTransaction(db, async (tx) => {
      const { natsAccount } = await tx.installation.findUniqueOrThrow({ where: { id: 1 } })
      await tx.installation.update({ where: { id: 1 }, data: { natsAccount: broker.account } })
      await addEntry(tx, commandActor('nats-config --rotate-account', new Date()), {
        action: 'nats.rotate_account',
        target: null,
        // The audit entry contains public keys only.
        before: { account: natsAccount },
        after: { account: broker.account },
      })
    })
    const hosts = await db.host.findMany({ where: { retiredAt: null }, select: { id: true, name: true } })
    const files = [
      ...[broker.controlPlaneCredsFile, broker.accountSeedFile],
      ...[broker.signingSeedFile, broker.systemCredsFile],
    ]
    return [
      'All keys of the broker and the account of the hosts are replaced. Copy these files to each replica:',
      '',
      ...files.map((file) => `  ${plain(file)}`),
      '',
      `Copy ${plain(broker.configFile)} to the machine of nats-server, and restart nats-server (a reload is not enough). Then restart the`,
      'replicas. From the restart of nats-server on, all earlier users are refused: hosts are offline until they join again.',
      'For each host, create a token on a replica, and join again on its machine with that token:',
      '',
      ...hosts.map(({ id, name }) => `  ctl host rejoin ${id}    # ${plain(name)}`),
      '',
      'docs/operations.md has the steps on the machine, under "A host joins again".',
      '',
    ].join('\n')
  } finally {
    await database.close()
    await lock.release()
  }
}
