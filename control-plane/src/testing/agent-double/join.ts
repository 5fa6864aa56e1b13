/** Joins a double: a token from the operator, then the public join request. */
import { protocol } from '@phonerack/shared'
import { z } from 'zod'
import { type DoubleOptions } from './types.js'

const joinAnswer = z.object({
  host_id: z.string(),
  certificate_pem: z.string(),
  ca_pem: z.string(),
  nats_jwt: z.string(),
  join_id: z.string().nullable(),
})

export const protocolOf = ({ protocolVersion }: DoubleOptions): number | null =>
  protocolVersion === undefined ? protocol.version : protocolVersion

export async function join(options: DoubleOptions, publicKey: string, nats: string) {
  const { server, operator, operatorToken, name, country = 'US', rejoins, canRejoin = true } = options
  const version = protocolOf(options)
  const headers = { authorization: `Bearer ${operatorToken}` }
  const token = await operator.inject({
    method: 'POST',
    url: rejoins === undefined ? '/operator/v1/hosts/join-tokens' : `/operator/v1/hosts/${rejoins}/rejoin`,
    headers,
    payload: {},
  })
  const answer = await server.inject({
    method: 'POST',
    url: '/host/v1/join',
    headers: {
      ...(version === null ? {} : { [protocol.header]: String(version) }),
      ...(canRejoin ? { [protocol.rejoinHeader]: 'yes' } : {}),
    },
    payload: {
      token: token.json<{ token: string }>().token,
      name,
      country,
      public_key_pem: publicKey,
      nats_public_key: nats,
    },
  })
  if (answer.statusCode !== 201) throw new Error(`join: ${answer.statusCode} ${answer.body}`)
  return joinAnswer.parse(answer.json())
}
