/** Limits the installs of one phone: two at a time, one per app. Pure. Used by `installs.ts`. */

export const slotsPerPhone = 2

export interface Slots {
  /**
   * Takes a slot. A repeat with the same ID keeps the slot. When no slot is free, returns the
   * package of a conflicting install.
   */
  take(installId: string, packageName: string): { busyWith: string } | null
  release(installId: string): void
}

export function createSlots(): Slots {
  const taken = new Map<string, string>()
  return {
    take(installId, packageName) {
      const others = [...taken].filter(([id]) => id !== installId)
      const same = others.find(([, name]) => name === packageName)
      const [oldest] = others
      if (same) return { busyWith: packageName }
      if (others.length >= slotsPerPhone && oldest) return { busyWith: oldest[1] }
      taken.set(installId, packageName)
      return null
    },
    release: (installId) => void taken.delete(installId),
  }
}
