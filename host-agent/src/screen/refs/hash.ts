/** A hash of texts and numbers, for comparing elements in memory. Pure. */

const prime = 0x01000193

/** Returns a hash of 53 bits: two FNV-1a hashes, of which the second reads each character inverted. */
export function hashOf(...parts: readonly (string | number)[]): number {
  let high = 0x811c9dc5
  let low = 0x9747b28c
  for (const part of parts) {
    const text = typeof part === 'string' ? part : String(part)
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      high = Math.imul(high ^ code, prime)
      low = Math.imul(low ^ ~code, prime)
    }
    // Marks the end of a part.
    high = Math.imul(high ^ 0x10000, prime)
    low = Math.imul(low ^ 0x10000, prime)
  }
  return (high >>> 0) * 0x200000 + (low >>> 11)
}
