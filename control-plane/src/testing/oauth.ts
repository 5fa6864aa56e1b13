/** An OAuth client, for tests of the authorization server. */
import { createHash, randomBytes } from 'node:crypto'
import { type ConsoleAnswer, type ConsoleClient } from './console-client.js'
import { type Plane } from './world.js'

export const callback = 'https://agents.example.com/callback'

interface OAuthAnswer {
  status: number
  body: Record<string, unknown>
  headers: Record<string, unknown>
}

export interface Tokens {
  access: string
  refresh: string
}

/** Parses the JSON of an answer. `/mcp` answers with a stream of events. */
const jsonOf = (body: string): string => /^data: (.*)$/m.exec(body)?.[1] ?? body

const readAnswer = (answer: { statusCode: number; body: string; headers: object }): OAuthAnswer => ({
  status: answer.statusCode,
  body: (answer.body === '' ? {} : JSON.parse(jsonOf(answer.body))) as Record<string, unknown>,
  headers: answer.headers as Record<string, unknown>,
})

export function oauthClient(plane: Plane) {
  const { server } = plane
  const post = async (path: string, fields: Record<string, string>): Promise<OAuthAnswer> =>
    readAnswer(
      await server.inject({
        method: 'POST',
        url: `/oauth${path}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(fields).toString(),
      }),
    )
  return {
    post,
    register: async (metadata: object): Promise<OAuthAnswer> =>
      readAnswer(await server.inject({ method: 'POST', url: '/oauth/register', payload: metadata })),
    token: (fields: Record<string, string>): Promise<OAuthAnswer> => post('/token', fields),
    /** Reads the account over `/mcp`. */
    use: async (access: string): Promise<OAuthAnswer> =>
      readAnswer(
        await server.inject({
          method: 'POST',
          url: '/mcp',
          headers: {
            authorization: `Bearer ${access}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': '2025-06-18',
          },
          payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_account' } },
        }),
      ),
  }
}

export type OAuthClient = ReturnType<typeof oauthClient>

/** Builds a request for access, with the verifier of its challenge. */
export function newRequest(clientId: string, change: Record<string, string> = {}) {
  const verifier = randomBytes(32).toString('base64url')
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: callback,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: '12345678901234567890123',
    ...change,
  }
  return { verifier, query: new URLSearchParams(parameters).toString() }
}

export const consent = (
  person: ConsoleClient,
  projectId: string,
  query: string,
  rights: object = {},
): Promise<ConsoleAnswer> =>
  person.ask('POST', `/projects/${projectId}/connectors`, { body: { query, ...rights } })

/** Returns the parameters of the URL to which the browser is redirected. */
export const sentTo = (answer: ConsoleAnswer): URLSearchParams => {
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body))
  return new URL(String(answer.body['redirect_to'])).searchParams
}
