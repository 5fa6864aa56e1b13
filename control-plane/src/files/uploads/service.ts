/** Implements `UploadService`. Each method has its own file in this folder. */
import { type Upload } from '../../gen/prisma/client.js'
import { hashSecret } from '@phonerack/shared'
import { inTenantTransaction } from '../../base/core/tenant-transaction.js'
import { createSecretLookup } from '../../base/db/secret-lookup.js'
import { waitUntil } from '../../base/core/changes.js'
import { completeUpload } from './complete.js'
import { type UploadCore } from './core.js'
import { createUpload } from './create.js'
import { removeUpload } from './expiry.js'
import { openUrl, receiveFile } from './receive.js'
import { lockUpload, viewOf, visible, visibleTo } from './records.js'
import { type Caller, type Page, type PageQuery } from '../../base/core/caller.js'
import { type UploadService, type UploadView } from './types.js'

export function createUploadService(uploads: UploadCore): UploadService & { close(): void } {
  const { core } = uploads
  const urls = createSecretLookup(async (hashes) => {
    const rows = await core.db.upload.findMany({
      where: { ...openUrl(core.clock.now()), tokenHash: { in: hashes } },
      select: { tokenHash: true },
    })
    return rows.map(({ tokenHash }) => tokenHash)
  })
  const find = async (caller: Caller, id: string): Promise<Upload> =>
    visible(caller, id, await core.db.upload.findUnique({ where: { id } }))
  const show = (upload: Upload): UploadView => viewOf(upload, core.clock.now())
  return {
    create: (caller) => createUpload(uploads, caller),
    receive: (token, file, signal) => receiveFile(uploads, token, file, signal),
    isKnown: (token) => urls.has(hashSecret(token)),
    complete: (caller, id, storageId) => completeUpload(uploads, caller, id, storageId),
    get: async (caller, id) => show(await find(caller, id)),
    list: (caller, query) => listUploads(uploads, caller, query),
    delete: (caller, id) => deleteUpload(uploads, caller, id),
    wait: (caller, id, timeoutMs, signal) =>
      waitUntil(
        uploads.changes,
        id,
        {
          read: async () => show(await find(caller, id)),
          isSettled: ({ status }) => status !== 'processing',
        },
        timeoutMs,
        signal,
      ),
    close: () => urls.close(),
  }
}

async function listUploads(
  { core }: UploadCore,
  caller: Caller,
  query: PageQuery,
): Promise<Page<UploadView>> {
  const now = core.clock.now()
  const scope = { projectId: caller.projectId, list: 'uploads' }
  const after = core.cursors.decode(scope, query.cursor)
  const rows = await core.db.upload.findMany({
    where: {
      ...visibleTo(caller),
      status: { not: 'deleted' },
      expiresAt: { gt: now },
      ...(after
        ? { OR: [{ createdAt: { lt: after.at } }, { createdAt: after.at, id: { lt: after.id } }] }
        : {}),
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: query.limit + 1,
  })
  return core.cursors.toPage(
    scope,
    rows,
    query.limit,
    (row) => ({ at: row.createdAt, id: row.id }),
    (row) => viewOf(row, now),
  )
}

async function deleteUpload(uploads: UploadCore, caller: Caller, id: string): Promise<UploadView> {
  const { core } = uploads
  const view = await inTenantTransaction(core, caller, async (tx) => {
    const upload = visible(caller, id, await lockUpload(tx, caller.projectId, id))
    const now = core.clock.now()
    const isGone = upload.status === 'deleted'
    return viewOf(isGone ? upload : await removeUpload(tx, core.rules.uploads, upload, now), now)
  })
  uploads.changes.publish(id)
  return view
}
