/** Gives a client access on behalf of a member: creates its key, and the code that the client exchanges for tokens. */
import { ApiError, hashSecret, limits, newSecret } from '@phonerack/shared'
import { type z } from 'zod'
import { scopesOf } from '../../rental/keys/validity.js'
import { addKey, newKeySchema } from '../../fleet/operator/keys.js'
import { type Change, type Work } from '../../base/audit/work.js'
import { type AuthorizationRequest } from './requests.js'
import { answerAt } from './redirects.js'

/** The rights that the member chooses, as for a key. */
export const rightsSchema = newKeySchema.pick({ preset: true, profile: true, phones: true })

export async function grantConnector(
  work: Work,
  { client, redirectUri, challenge, state, scopes }: AuthorizationRequest,
  { projectId, issuer, rights }: { projectId: string; issuer: string; rights: z.infer<typeof rightsSchema> },
): Promise<Change<{ redirect_to: string }>> {
  const { tx, now, actor } = work
  if (scopesOf(rights.preset, rights.phones !== undefined, scopes).length === 0)
    throw new ApiError('invalid_request', {
      message: 'These rights contain none of the rights that the app asks for.',
      next: 'Choose other rights, or deny the request.',
    })
  const code = newSecret('connectorCode')
  // The secret of this key is not returned, since the client has tokens.
  const { id, name, preset, profile } = await addKey(
    tx,
    { ...rights, project: projectId, name: client.name, expires: '90d' },
    now,
  )
  const codeExpiresAt = new Date(now.getTime() + limits.connectors.codeLife * 1000)
  // A connector that never gets tokens ends with the code.
  await tx.apiKey.update({ where: { id }, data: { expiresAt: codeExpiresAt, askedScopes: [...scopes] } })
  await tx.connector.create({
    data: {
      keyId: id,
      clientId: client.id,
      clientName: client.name,
      redirectUri,
      grantedBy: actor.tokenId,
      codeHash: hashSecret(code),
      codeChallenge: challenge,
      codeExpiresAt,
    },
  })
  return {
    result: { redirect_to: answerAt(redirectUri, issuer, { code, state }) },
    target: id,
    before: null,
    after: {
      id,
      name,
      preset,
      profile,
      project: projectId,
      scopes: [...scopes],
      expires_at: null,
      phones: rights.phones ?? [],
      client: client.id,
      redirect: redirectUri,
    },
  }
}
