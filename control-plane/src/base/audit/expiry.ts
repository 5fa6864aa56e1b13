/** The lifetimes of API keys and operator tokens. */
import { z } from 'zod'

const day = 86_400_000
const lives = { '30d': 30 * day, '90d': 90 * day, '1y': 365 * day, never: null } as const

export const expirySchema = z.enum(['30d', '90d', '1y', 'never'])
export type Expiry = z.infer<typeof expirySchema>

/** Returns null for a lifetime without end. */
export function expiryFrom(expires: Expiry, now: Date): Date | null {
  const life = lives[expires]
  return life === null ? null : new Date(now.getTime() + life)
}
