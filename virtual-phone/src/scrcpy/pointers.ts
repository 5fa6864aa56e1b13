/** Gives each client pointer the lowest free local ID, at most ten, like scrcpy 3.3.3 (`PointersState`). */

const MAX_POINTERS = 10

export class Pointers {
  private readonly local = new Map<bigint, number>()

  /** Returns the local ID, newly assigned when the pointer is unknown; null when ten pointers are down. */
  idOf(pointerId: bigint): number | null {
    const known = this.local.get(pointerId)
    if (known !== undefined) return known
    const taken = new Set(this.local.values())
    for (let id = 0; id < MAX_POINTERS; id++) {
      if (taken.has(id)) continue
      this.local.set(pointerId, id)
      return id
    }
    return null
  }

  release(pointerId: bigint): void {
    this.local.delete(pointerId)
  }
}
