/** Retention times of rows that the service deletes. */
import { limits } from '@phonerack/shared'
import { z } from 'zod'

const days = (fallback: number, least = 1) => z.coerce.number().int().min(least).default(fallback)

export const retentionEnvironment = {
  /**
   * Seconds after its last session at which a phone without a session is deleted; at least a day, since its project gets a
   * notice a day before. 0: never.
   */
  PHONERACK_PARKED_TTL: z.coerce
    .number()
    .int()
    .default(0)
    .refine((seconds) => seconds === 0 || seconds >= 86_400, 'must be 0 or at least 86400'),
  PHONERACK_ACTIVITY_DAYS: days(30),
  /** Days after which sessions that ended, and deleted phones, are deleted from the database. */
  PHONERACK_HISTORY_DAYS: days(400, 31),
  /** Days that the audit log is kept. */
  PHONERACK_AUDIT_DAYS: days(limits.auditDays),
}

const environment = z.object(retentionEnvironment)
const dayMs = 86_400_000

/** Milliseconds. */
export const readRetention = (env: z.output<typeof environment>) => ({
  /** When a phone without a session is deleted; null: never. */
  parkedTtlMs: env.PHONERACK_PARKED_TTL === 0 ? null : env.PHONERACK_PARKED_TTL * 1000,
  activityLifeMs: env.PHONERACK_ACTIVITY_DAYS * dayMs,
  historyLifeMs: env.PHONERACK_HISTORY_DAYS * dayMs,
  auditLifeMs: env.PHONERACK_AUDIT_DAYS * dayMs,
})
