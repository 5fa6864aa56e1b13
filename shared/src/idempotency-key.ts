/** The form of an `Idempotency-Key` header, which clients choose. */
import { limits } from './limits.js'

const { min, max } = limits.idempotencyKey

export const idempotencyKeyPattern = new RegExp(`^[A-Za-z0-9][A-Za-z0-9_.:-]{${min - 1},${max - 1}}$`)

/** The requirement, worded as the end of a sentence. */
export const idempotencyKeyRule = `must consist of ${min} to ${max} letters, digits, "_", ".", ":" or "-", and start with a letter or digit`
