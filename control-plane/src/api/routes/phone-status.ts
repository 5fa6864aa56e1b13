/** The parameter `status`, by which the console and operators filter phones. */
import { z } from 'zod'
import { phoneStatuses, type PhoneStatus } from '../../base/core/statuses.js'
import { invalidField } from '../../base/validation/fields.js'

const statusSchema = z.enum(phoneStatuses)

/** Returns null if the parameter is omitted. @throws ApiError validation_failed */
export function statusIn(status: unknown): PhoneStatus | null {
  const parsed = statusSchema.optional().safeParse(status)
  if (!parsed.success) throw invalidField('status', `must be one of ${phoneStatuses.join(', ')}`)
  return parsed.data ?? null
}
