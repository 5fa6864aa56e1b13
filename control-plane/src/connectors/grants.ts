/** A member gives a client access: its key, and the code that the client exchanges for tokens. */
import { hashSecret, limits, newSecret } from '@phonerack/shared'
import { z } from 'zod'
import { addKey, newKeySchema } from '../operator/keys.js'
import { type Change, type Work } from '../operator/work.js'
import { type AuthorizationRequest } from './requests.js'
import { answerAt } from './redirects.js'

/** The rights that the member chooses, as for a key. */
export const rightsSchema = newKeySchema.pick({ preset: true, profile: true, phones: true })

export async function grantConnector(
  work: Work,
  { client, redirectUri, challenge, state }: AuthorizationRequest,
  { projectId, issuer, rights }: { projectId: string; issuer: string; rights: z.infer<typeof rightsSchema> },
): Promise<Change<{ redirect_to: string }>> {
  const { tx, now, operator } = work
  const code = newSecret('connectorCode')
  // Its secret is dropped: the client only gets tokens.
  const { key: _secret, ...key } = await addKey(
    tx,
    { ...rights, project: projectId, name: client.name, expires: '90d' },
    now,
  )
  const codeExpiresAt = new Date(now.getTime() + limits.connectors.codeLife * 1000)
  // Without tokens, it ends with the code.
  await tx.apiKey.update({ where: { id: key.id }, data: { expiresAt: codeExpiresAt } })
  await tx.connector.create({
    data: {
      ...{ keyId: key.id, clientId: client.id, clientName: client.name, redirectUri },
      ...{ grantedBy: operator.tokenId, codeHash: hashSecret(code), codeChallenge: challenge, codeExpiresAt },
    },
  })
  return {
    result: { redirect_to: answerAt(redirectUri, issuer, { code, state }) },
    target: key.id,
    before: null,
    after: {
      ...key,
      expires_at: null,
      phones: rights.phones ?? [],
      client: client.id,
      redirect: redirectUri,
    },
  }
}
