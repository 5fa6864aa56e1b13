/** What Postgres said of a statement that failed, however the layers above wrapped it. */

/**
 * The five-character SQLSTATE; null when the error is not Postgres's. Prisma carries it as `originalCode` in
 * `meta.driverAdapterError.cause`, an error of the driver adapter in `cause`, and one of `pg` as `code`. Texts are never
 * read: they hold values of tenants.
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

/** Classes of faults that the rows of a statement cause: data exceptions, constraints, and limits of the program. */
const dataClasses = ['22', '23', '54']

/** Whether the values of a statement are at fault: the same values fail again, and others may succeed. */
export function isDataFault(error: unknown): boolean {
  if (error instanceof Error && error.name === 'PrismaClientValidationError') return true
  const state = sqlStateOf(error)
  return state !== null && dataClasses.includes(state.slice(0, 2))
}
