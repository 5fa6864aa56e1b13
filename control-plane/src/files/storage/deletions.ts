import { type Tx } from '../../base/db/database.js'
import { addJob } from '../../base/queue/queue.js'

export const addFileDelete = (tx: Tx, storageId: string, runAt?: Date): Promise<void> =>
  addJob(tx, 'file.delete', { storageId }, { key: `file.delete:${storageId}`, ...(runAt ? { runAt } : {}) })
