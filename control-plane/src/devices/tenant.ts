/** What hosts know a tenant by. docs/decisions/0142 */
import { createHash } from 'node:crypto'

/** Opaque, and the same for all phones of a project. */
export const tenantOf = (projectId: string): string =>
  createHash('sha256').update(projectId).digest('hex').slice(0, 32)
