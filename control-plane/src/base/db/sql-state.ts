/** Reads the SQLSTATE of a failed statement, however the layers above wrapped it. */

/**
 * Returns the five-character SQLSTATE, or null for an error that is not Postgres's. Prisma carries
 * it as `originalCode` in `meta.driverAdapterError.cause`, an error of the driver adapter in
 * `cause`, and one of `pg` as `code`. Messages are never read, since they hold tenants' values.
 */
export function sqlStateOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null
  if ('meta' in error) return driverState(field(error.meta, 'driverAdapterError'))
  return driverState(error) ?? stateIn(field(error, 'code'))
}

const driverState = (error: unknown): string | null => stateIn(field(field(error, 'cause'), 'originalCode'))

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

const stateIn = (code: unknown): string | null =>
  typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^P[1-9]/.test(code) ? code : null

/** SQLSTATE classes that a statement's values cause: data exceptions, constraints, program limits. */
const dataClasses = ['22', '23', '54']

/** True if the statement's values are at fault: the same values fail again, and other values may succeed. */
export function isDataFault(error: unknown): boolean {
  if (error instanceof Error && error.name === 'PrismaClientValidationError') return true
  const state = sqlStateOf(error)
  return state !== null && dataClasses.includes(state.slice(0, 2))
}
