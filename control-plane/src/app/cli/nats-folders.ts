/**
 * Copies for other machines from the folder of `nats-config`: each copy has only the files that its machine needs. The
 * keys of the operator and of the system account stay in the folder.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { makePrivateFolder, replacePrivate } from '@phonerack/shared'

/** The files of a replica, by the variables that name their paths. */
export const replicaFiles = {
  NATS_CREDS_FILE: 'control-plane.creds',
  NATS_ACCOUNT_SEED_FILE: 'account.seed',
  NATS_SIGNING_SEED_FILE: 'operator-signing.seed',
  NATS_SYSTEM_CREDS_FILE: 'system.creds',
} as const

/** nats-server needs public keys and signed claims, but no seeds. */
const brokerFiles = ['nats.conf', 'broker.pem'] as const

export interface Copies {
  /** Folder for replicas; null: no copy. */
  replica: string | null
  /** Folder for nats-server; null: nats-server uses the original folder. */
  broker: string | null
}

/** Replaces the copies. Existing files keep their owner and mode. */
export function writeCopies(dir: string, { replica, broker }: Copies): void {
  if (replica !== null) copy(dir, replica, Object.values(replicaFiles))
  if (broker !== null) copy(dir, broker, brokerFiles)
}

function copy(from: string, to: string, names: readonly string[]): void {
  makePrivateFolder(to)
  for (const name of names) {
    const file = path.join(from, name)
    if (existsSync(file)) replacePrivate(path.join(to, name), readFileSync(file, 'utf8'))
  }
}
