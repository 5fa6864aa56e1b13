/** Dependencies that all services share; created once in `app.ts`. */
import { type Bus, type Clock, type Counters, type Logger } from '@phonerack/shared'
import { type Rules } from '../config/config.js'
import { type Database } from '../db/database.js'
import { type PreparedRead } from '../db/prepared-reads.js'
import { type Transact } from '../db/raw-transaction.js'
import { type OwnerGate } from '../db/owner-gate.js'
import { type Changes } from './changes.js'
import { type Cursors } from './cursor.js'

export interface Core {
  db: Database
  /** Reads of hot paths. */
  read: PreparedRead
  /** Transactions of hot paths: `inRawTransaction`. */
  transact: Transact
  /** The gate of tenants' transactions: `tenant-transaction.ts`. */
  ownerGate: OwnerGate
  bus: Bus
  clock: Clock
  /** Factor of the pauses between two reads and between two attempts. The default is 1; tests change it. */
  pace: number
  rules: Rules
  log: Logger
  changes: Changes
  cursors: Cursors
  /** Faults of this process, for metrics. */
  counters: Counters
}
