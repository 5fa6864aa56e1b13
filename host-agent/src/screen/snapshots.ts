/**
 * Stores the elements shown to clients while clients can target them by ref. In memory
 * only, per assignment: another phone, or the same phone under a newer fencing number,
 * never finds them.
 */
import { limits, newId, type Clock } from '@phonerack/shared'
import type { ScreenElement } from './elements.js'
import { identityOf, type ElementIdentity } from './identity.js'

export interface SnapshotOwner {
  /** `ph_…` */
  phoneId: string
  fencingNumber: bigint
}

/** The fields of a shown element that are needed to find it again. */
export interface SnapshotElement extends ElementIdentity {
  ref: number
  /** The states of the element, in the order of `elementStates`. */
  state: string
}

/** A shown screen. */
export interface Snapshot {
  /** The app window to which the refs of the snapshot belong (`refs/`). */
  window: number
  elements: SnapshotElement[]
}

/** The snapshots of one assignment. */
export interface Snapshots {
  /** Saves the elements as a new snapshot and returns its `snp_` id. */
  save(elements: readonly ScreenElement[], window: number): string
  /** Null when the snapshot has expired or never belonged to this assignment. */
  find(snapshotId: string): Snapshot | null
}

export interface SnapshotStore {
  of(owner: SnapshotOwner): Snapshots
  /** Deletes every snapshot of a phone: at park, wipe and delete. */
  forget(phoneId: string): void
  /** For tests and metrics. */
  readonly size: { snapshots: number; bytes: number }
}

export interface SnapshotLimits {
  lifeMs: number
  /** Maximum snapshots of a phone. The oldest are removed first. */
  perPhone: number
  /**
   * Maximum estimated bytes of a phone's snapshots. The oldest are removed first. One phone's snapshots never displace
   * another phone's.
   */
  bytesPerPhone: number
}

const defaults: SnapshotLimits = { lifeMs: limits.snapshotLife, perPhone: 1000, bytesPerPhone: 8_000_000 }

interface Entry {
  fencingNumber: bigint
  /** JSON of a `Snapshot`: one string, so that no reference to the screen's XML stays alive. */
  json: string
  expiresAt: number
}

/** One phone's snapshots, oldest first: a Map keeps the order of insertion. */
interface PhoneSnapshots {
  entries: Map<string, Entry>
  bytes: number
}

/** Estimates the bytes of an entry: two per character, and the overhead of the entry. */
const weigh = (entry: Entry): number => entry.json.length * 2 + 300

export function createSnapshotStore(clock: Clock, changes: Partial<SnapshotLimits> = {}): SnapshotStore {
  const { lifeMs, perPhone, bytesPerPhone } = { ...defaults, ...changes }
  const phones = new Map<string, PhoneSnapshots>()

  /** Removes the oldest entries until age and size are within the limits. */
  const trim = (phoneId: string, kept: PhoneSnapshots, now: number): void => {
    const { entries } = kept
    for (const [id, entry] of entries) {
      const isTooMuch = entries.size > perPhone || kept.bytes > bytesPerPhone
      if (entry.expiresAt > now && !isTooMuch) break
      entries.delete(id)
      kept.bytes -= weigh(entry)
    }
    if (entries.size === 0) phones.delete(phoneId)
  }

  const snapshotsOf = (phoneId: string): PhoneSnapshots => {
    const kept = phones.get(phoneId) ?? { entries: new Map<string, Entry>(), bytes: 0 }
    phones.set(phoneId, kept)
    return kept
  }

  return {
    of({ phoneId, fencingNumber }) {
      return {
        save(elements, window) {
          const now = clock.now().getTime()
          const id = newId('snapshot')
          const json = JSON.stringify({ window, elements: elements.map(toSnapshotElement) })
          const entry = { fencingNumber, json, expiresAt: now + lifeMs }
          const kept = snapshotsOf(phoneId)
          kept.entries.set(id, entry)
          kept.bytes += weigh(entry)
          // Phones that are no longer read are trimmed too.
          for (const [each, others] of phones) trim(each, others, now)
          return id
        },
        find(snapshotId) {
          const entry = phones.get(phoneId)?.entries.get(snapshotId)
          if (entry?.fencingNumber !== fencingNumber || entry.expiresAt <= clock.now().getTime()) return null
          return JSON.parse(entry.json) as Snapshot
        },
      }
    },
    forget: (phoneId) => void phones.delete(phoneId),
    get size() {
      let [snapshots, bytes] = [0, 0]
      for (const kept of phones.values()) {
        snapshots += kept.entries.size
        bytes += kept.bytes
      }
      return { snapshots, bytes }
    },
  }
}

export const stateOf = ({ state }: ScreenElement): string => state.join(' ')

const toSnapshotElement = (element: ScreenElement): SnapshotElement => ({
  ...identityOf(element),
  ref: element.ref,
  state: stateOf(element),
})
