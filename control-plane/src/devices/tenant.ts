/** What hosts know a tenant by. docs/decisions/0142 */
import { createHash } from 'node:crypto'

/** As agents say for whom a device is clean. */
export const cleanForAnyone = 'anyone'
export const cleanForTenant = (tenant: string): string => `tenant:${tenant}`

/** Opaque, and the same for all phones of a project. */
export const tenantOf = (projectId: string): string =>
  createHash('sha256').update(projectId).digest('hex').slice(0, 32)
