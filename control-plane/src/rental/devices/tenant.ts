/** The names under which hosts know tenants. docs/decisions/0142 */
import { createHash } from 'node:crypto'

/** The value that agents report for a device that is clean for every tenant. */
export const cleanForAnyone = 'anyone'
export const cleanForTenant = (tenant: string): string => `tenant:${tenant}`

/** Returns the tenant's name, which is opaque and equal for all phones of a project. */
export const tenantOf = (projectId: string): string =>
  createHash('sha256').update(projectId).digest('hex').slice(0, 32)
