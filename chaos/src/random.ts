/**
 * Random numbers that are a function of a seed and a name, so that each worker and the schedule of faults
 * have separate sequences.
 */

export interface Random {
  /** A number from 0 (included) to 1 (excluded). */
  next(): number
  /** A whole number; both ends are included. */
  between(low: number, high: number): number
  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T
  chance(probability: number): boolean
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let state = 0x811c9dc5
  for (const byte of Buffer.from(text)) state = Math.imul(state ^ byte, 0x01000193)
  return state >>> 0
}

/** Mulberry32. */
export function randomOf(seed: number, name: string): Random {
  let state = hash(`${seed} ${name}`)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    pick<T>(from: readonly T[]): T {
      const found = from[between(0, from.length - 1)]
      if (found === undefined) throw new Error('there is nothing to pick')
      return found
    },
    chance: (probability) => next() < probability,
  }
}
