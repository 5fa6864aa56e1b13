/** Runs a write between its two lines of the journal. Used by `gate.ts`. */
import { orRefuse } from '../base/own-fault.js'
import type { Journal, OperationKind } from '../custody/journal.js'

interface JournalledWrite {
  id: string
  serial: string
  kind: OperationKind
  phoneId: string
  fencingNumber: bigint
  requestId: string
}

/** @throws HostRefused when the first line cannot be written: nothing was done */
export async function journalled<T>(
  journal: Journal,
  { id, serial, kind, phoneId, fencingNumber, requestId }: JournalledWrite,
  work: () => Promise<T>,
): Promise<T> {
  const entry = { id, serial, phoneId, fencingNumber: fencingNumber.toString(), kind, requestId }
  const end = orRefuse(() => journal.begin(entry))
  try {
    return await work()
  } finally {
    end()
  }
}
