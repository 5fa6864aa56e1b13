/** The interface and the program that sent a request, for the steps that the request creates. */
import { limits, makeStorable, redactSecrets, shorten } from '@phonerack/shared'
import type { FastifyRequest } from 'fastify'
import { type Sender } from '../../base/core/caller.js'

export function senderOf({ inProcess, headers }: FastifyRequest): Sender {
  const client = inProcess ? inProcess.client : (headers['user-agent'] ?? null)
  return { via: inProcess ? 'mcp' : 'api', client: client === null ? null : plain(client) }
}

/** The text is redacted before it is shortened, because half a secret is not recognised as a secret. */
const plain = (text: string): string =>
  shorten(makeStorable(redactSecrets(text.slice(0, 20 * limits.steps.client))), limits.steps.client)
