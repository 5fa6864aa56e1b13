/** Adds entries to the audit log, in the transaction of the change. `audit/audit.ts` adds the entries of requests. */
import { hostname, userInfo } from 'node:os'
import { redactSecrets } from '@phonerack/shared'
import { Prisma } from '../../gen/prisma/client.js'
import { type Tx } from './database.js'

/** JSON of an object in the form of the operator API, without secrets. */
export type Facts = Record<string, unknown> | null

/** The actor of a change: an operator, a user, the key of a client, a host, a command or a replica. */
export interface AuditActor {
  /** The ID of the actor, which is not always the ID of a token. */
  tokenId: string
  tokenName: string
  /** The client's address; empty for a change on a machine of the control plane. */
  address: string
  requestId: string
}

export interface DatedActor extends AuditActor {
  at: Date
}

export interface AuditedChange {
  /** For example `project.change`. */
  action: string
  /** ID of the changed object; null if there is no single object. */
  target: string | null
  before: Facts
  after: Facts
}

export async function addEntry(
  tx: Pick<Tx, 'auditEntry'>,
  actor: DatedActor,
  { action, target, before, after }: AuditedChange,
): Promise<void> {
  await tx.auditEntry.create({ data: { ...actor, action, target, before: keep(before), after: keep(after) } })
}

/** Facts contain no secrets. If a secret appears nevertheless, only its kind is kept. */
const keep = (facts: Facts): Prisma.InputJsonValue | typeof Prisma.DbNull =>
  facts === null
    ? Prisma.DbNull
    : (JSON.parse(redactSecrets(JSON.stringify(facts))) as Prisma.InputJsonObject)

/**
 * A person at a machine of the control plane. @param command the command without secrets and paths: `rotate-authority
 * begin`
 */
export const commandActor = (command: string, at: Date): DatedActor => ({
  at,
  tokenId: 'command',
  tokenName: `${userName()} on ${hostname()}`,
  address: '',
  requestId: command,
})

/** The actor of a change that a setting of a starting replica causes. */
export const startActor = (replicaId: string, at: Date): DatedActor => ({
  at,
  tokenId: 'configuration',
  tokenName: `replica ${replicaId}`,
  address: '',
  requestId: `start of ${replicaId}`,
})

/** In a container, the user often has no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
