/** Retention times of rows that the service deletes. */
import { limits } from '@phonerack/shared'
import { setting } from '@phonerack/shared/settings'
import { z } from 'zod'

const days = (about: string, fallback: number, least = 1) =>
  setting(z.coerce.number().int().min(least).default(fallback), about, { unit: 'days' })

const parkedTtl = z.coerce
  .number()
  .int()
  .default(0)
  .refine((seconds) => seconds === 0 || seconds >= 86_400, 'must be 0 or at least 86400')

export const retentionEnvironment = {
  PHONERACK_PARKED_TTL: setting(
    parkedTtl,
    'Time after its last session at which a phone without a session is deleted; at least 86400, since its project gets a notice a day before. 0: never.',
    { unit: 'seconds' },
  ),
  PHONERACK_ACTIVITY_DAYS: days('Life of the entries in the activity of a project.', 30),
  PHONERACK_HISTORY_DAYS: days(
    'Time after which ended sessions and deleted phones are deleted from the database, never the ledger; at least 31.',
    400,
    31,
  ),
  PHONERACK_AUDIT_DAYS: days('Life of the entries in the audit log.', limits.auditDays),
}

const environment = z.object(retentionEnvironment)
const dayMs = 86_400_000

/** Milliseconds. */
export const readRetention = (env: z.output<typeof environment>) => ({
  /** Milliseconds after which a phone without a session is deleted; null: never. */
  parkedTtlMs: env.PHONERACK_PARKED_TTL === 0 ? null : env.PHONERACK_PARKED_TTL * 1000,
  activityLifeMs: env.PHONERACK_ACTIVITY_DAYS * dayMs,
  historyLifeMs: env.PHONERACK_HISTORY_DAYS * dayMs,
  auditLifeMs: env.PHONERACK_AUDIT_DAYS * dayMs,
})
