/** API keys of a project, for its members. */
import { ApiError } from '@phonerack/shared'
import { type z } from 'zod'
import { type Core } from '../../base/core/core.js'
import { createKey, revokeKey, type newKeySchema } from '../../fleet/operator/keys.js'
import { countAttempt, type AttemptLimit } from './attempts.js'
import { type Actor } from './types.js'
import { asUser } from './work.js'

type NewKey = z.infer<typeof newKeySchema>

/** Limits the keys that members create in a project, because revoked keys stay in its list. */
const perProject: AttemptLimit = { max: 100, window: 3600 }

/** @throws ApiError rate_limited */
export async function limitNewKeys({ db }: Pick<Core, 'db'>, projectId: string): Promise<void> {
  const seconds = await countAttempt(db, `new keys ${projectId}`, perProject)
  if (seconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds: seconds })
}

export const createProjectKey = (core: Core, actor: Actor, input: NewKey) =>
  asUser(core, actor, 'key.create', (work) => createKey(work, input))

/** @throws ApiError not_found for a key of another project */
export const revokeProjectKey = (core: Core, actor: Actor, projectId: string, keyId: string) =>
  asUser(core, actor, 'key.revoke', async (work) => {
    if ((await work.tx.apiKey.count({ where: { id: keyId, projectId } })) === 0)
      throw new ApiError('not_found', { message: 'There is no such key in this project.', next: null })
    return revokeKey(work, keyId)
  })
