/** API keys of a project, for its members. */
import { type z } from 'zod'
import { type Core } from '../core/core.js'
import { createKey, revokeKey, type newKeySchema } from '../operator/keys.js'
import { ApiError } from '@phonerack/shared'
import { type Actor } from './types.js'
import { asUser } from './work.js'

type NewKey = z.infer<typeof newKeySchema>

export const createProjectKey = (core: Core, actor: Actor, input: NewKey) =>
  asUser(core, actor, 'key.create', (work) => createKey(work, input))

/** @throws ApiError not_found for a key of another project */
export const revokeProjectKey = (core: Core, actor: Actor, projectId: string, keyId: string) =>
  asUser(core, actor, 'key.revoke', async (work) => {
    if ((await work.tx.apiKey.count({ where: { id: keyId, projectId } })) === 0)
      throw new ApiError('not_found', { message: 'There is no such key in this project.', next: null })
    return revokeKey(work, keyId)
  })
