/**
 * What clients were shown, for as long as they may target it by ref. Kept in
 * the agent's memory only, per assignment: another phone, or the same phone
 * under a newer fencing number, never finds it.
 */
import { limits, newId, type Clock } from '@phonerack/shared'
import type { ScreenElement } from './elements.js'
import type { Bounds } from './geometry.js'
import { identityOf, type ElementIdentity } from './identity.js'

export interface SnapshotOwner {
  /** `ph_…` */
  phoneId: string
  fencingNumber: bigint
}

/** What is remembered of a shown element: enough to know it again. */
export interface SnapshotElement extends ElementIdentity {
  ref: number
  bounds: Bounds
}

/** The snapshots of one assignment. */
export interface Snapshots {
  /** Keeps the elements as a new snapshot and returns its `snp_` ID. */
  save(elements: readonly ScreenElement[]): string
  /** The element that had `ref` in that snapshot; null when it has expired or never was this assignment's. */
  find(snapshotId: string, ref: number): SnapshotElement | null
}

export interface SnapshotStore {
  of(owner: SnapshotOwner): Snapshots
  /** Forgets every snapshot of a phone: at park, wipe and delete. */
  forget(phoneId: string): void
  /** For tests and metrics. */
  readonly size: { snapshots: number; bytes: number }
}

export interface SnapshotLimits {
  lifeMs: number
  /** Of one assignment; the oldest go first. */
  perAssignment: number
  /** Of all assignments together, estimated; the oldest go first. */
  bytes: number
}

const defaults: SnapshotLimits = { lifeMs: limits.snapshotLife, perAssignment: 200, bytes: 64_000_000 }

interface Entry {
  owner: string
  phoneId: string
  /** JSON of `SnapshotElement[]`: one string, so that nothing of the screen's XML is held on to. */
  json: string
  expiresAt: number
}

/** UTF-16, and the entry around it. */
const weigh = (entry: Entry): number => entry.json.length * 2 + 300

export function createSnapshotStore(clock: Clock, changes: Partial<SnapshotLimits> = {}): SnapshotStore {
  const { lifeMs, perAssignment, bytes: maxBytes } = { ...defaults, ...changes }
  // In order of age, since a Map keeps the order of insertion.
  const entries = new Map<string, Entry>()
  let bytes = 0

  const remove = (id: string, entry: Entry): void => {
    entries.delete(id)
    bytes -= weigh(entry)
  }

  const evict = (owner: string, now: number): void => {
    let own = 0
    for (const entry of entries.values()) if (entry.owner === owner) own += 1
    for (const [id, entry] of entries) {
      const tooMany = entry.owner === owner && own > perAssignment
      if (entry.expiresAt > now && bytes <= maxBytes && !tooMany) continue
      if (entry.owner === owner) own -= 1
      remove(id, entry)
    }
  }

  return {
    of({ phoneId, fencingNumber }) {
      const owner = `${phoneId} ${fencingNumber}`
      return {
        save(elements) {
          const now = clock.now().getTime()
          const id = newId('snapshot')
          const json = JSON.stringify(elements.map(toSnapshotElement))
          const entry = { owner, phoneId, json, expiresAt: now + lifeMs }
          entries.set(id, entry)
          bytes += weigh(entry)
          evict(owner, now)
          return id
        },
        find(snapshotId, ref) {
          const entry = entries.get(snapshotId)
          if (entry?.owner !== owner || entry.expiresAt <= clock.now().getTime()) return null
          const elements = JSON.parse(entry.json) as SnapshotElement[]
          return elements.find((element) => element.ref === ref) ?? null
        },
      }
    },
    forget(phoneId) {
      for (const [id, entry] of entries) if (entry.phoneId === phoneId) remove(id, entry)
    },
    get size() {
      return { snapshots: entries.size, bytes }
    },
  }
}

const toSnapshotElement = (element: ScreenElement): SnapshotElement => ({
  ...identityOf(element),
  ref: element.ref,
  bounds: element.bounds,
})
