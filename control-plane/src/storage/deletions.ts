import { type Tx } from '../db/database.js'
import { addJob } from '../queue/queue.js'

export const addFileDelete = (tx: Tx, storageId: string, runAt?: Date): Promise<void> =>
  addJob(tx, 'file.delete', { storageId }, { key: `file.delete:${storageId}`, ...(runAt ? { runAt } : {}) })
