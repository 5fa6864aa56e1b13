/** Compares reports of agents as JSON. Pure. Used by `repeats.ts`, `read-heartbeat.ts` and `fold-devices.ts`. */

/** True when two reports of a device differ at most in a valid proof of life. */
export const isSameDevice = (last: unknown, now: unknown): now is Record<string, unknown> =>
  isObject(now) && isSame(last, now, isProof) && isInstant(now['proof_of_life_at'])

const isProof = (key: string): boolean => key === 'proof_of_life_at'

/** Whether two JSON values are equal, apart from some fields of the outermost object. */
export function isSame(one: unknown, other: unknown, ignores: (key: string) => boolean): boolean {
  if (one === other) return true
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((value, index) => isSame(value, other[index], nothing))
    )
  if (!isObject(one) || !isObject(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && (ignores(key) || isSame(one[key], other[key], nothing)))
  )
}

const nothing = (): boolean => false

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Accepts the form of `Date.toISOString`. Heartbeats of an agent that writes another form are folded. */
const isInstant = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && /^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value))
