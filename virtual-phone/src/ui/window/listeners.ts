/**
 * Listeners for changes of the picture, the state, system settings and the clipboard, and for incidents. Used
 * by `world.ts`.
 */
import { type Incident, type SystemChange } from '../../android/world.js'

export class Listeners {
  /** The picture changed, or is animated. */
  readonly change = new Set<() => void>()
  readonly state = new Set<() => void>()
  readonly system = new Set<(change: SystemChange) => void>()
  readonly clipboard = new Set<(text: string) => void>()
  readonly incident = new Set<(incident: Incident) => void>()

  changed(): void {
    for (const listener of this.change) listener()
  }

  clear(): void {
    for (const set of [this.change, this.state, this.system, this.clipboard, this.incident]) set.clear()
  }
}

/** @returns a function that ends the calls */
export function listen<T>(set: Set<T>, listener: T): () => void {
  set.add(listener)
  return () => set.delete(listener)
}
