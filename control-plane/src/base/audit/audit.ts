/** The audit log: written in the transaction of the change, kept for a year, without secrets. */
import { type AuditEntry } from '../../gen/prisma/client.js'
import { type Core } from '../core/core.js'
import { addEntry, type AuditedChange, type Facts } from '../db/audit-log.js'
import { type Tx } from '../db/database.js'
import { type Change, type Work } from './work.js'

/** Adds a change's entry. @param action for example `project.change` */
export async function addAudit(
  { core, tx, now, actor, afterCommit }: Work,
  action: string,
  { target, before, after }: Omit<Change<unknown>, 'result'>,
): Promise<void> {
  const { tokenId, tokenName, address, requestId } = actor
  await addEntry(tx, { at: now, tokenId, tokenName, address, requestId }, { action, target, before, after })
  afterCommit(() =>
    core.log.info({ audit: action, target, token: tokenId, request_id: requestId }, 'audited change'),
  )
}

/** Adds the entry of a change that a host's proof caused, in the name of the host. */
export async function addHostAudit(
  tx: Tx,
  host: { id: string; name: string },
  now: Date,
  change: AuditedChange,
): Promise<void> {
  const who = { tokenId: host.id, tokenName: `host ${host.name}`, address: '', requestId: 'heartbeat' }
  await addEntry(tx, { ...who, at: now }, change)
}

/** The empty project ID keeps cursors of a project's list from being valid here. */
const scope = { projectId: '', list: 'audit', parameter: 'before' }

interface AuditPage {
  limit: number
  /** `next_before` of the previous page; null for the newest entries. */
  before: string | null
  /** ID of a changed object; if omitted, entries of all objects. */
  target?: string
}

/** Lists entries, newest first. */
export async function listAudit(core: Core, { limit, before, target }: AuditPage) {
  const after = core.cursors.decode(scope, before)
  const rows = await core.db.auditEntry.findMany({
    where: {
      ...(after ? { id: { lt: BigInt(after.id) } } : {}),
      ...(target === undefined ? {} : { target }),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  const positionOf = (row: AuditEntry) => ({ at: row.at, id: row.id.toString() })
  const { data, nextCursor } = core.cursors.toPage(scope, rows, limit, positionOf, auditView)
  return { data, next_before: nextCursor }
}

const auditView = (entry: AuditEntry) => ({
  id: entry.id.toString(),
  at: entry.at.toISOString(),
  token_id: entry.tokenId,
  token_name: entry.tokenName,
  address: entry.address,
  request_id: entry.requestId,
  action: entry.action,
  target: entry.target,
  before: entry.before as Facts,
  after: entry.after as Facts,
})
