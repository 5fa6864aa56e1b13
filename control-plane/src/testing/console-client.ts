/**
 * A browser without a page, for tests of `/console/api`. It handles cookies, the origin, and the token
 * against forgery.
 */
import { hashSecret, newId, newSecret } from '@phonerack/shared'
import { parse } from 'cookie'
import { type Role } from '../people/users/types.js'
import { type Plane } from './world.js'

export interface ConsoleAnswer {
  status: number
  /** Empty for an answer that is not JSON. */
  body: Record<string, unknown>
  bytes: Buffer
  headers: Record<string, unknown>
}

interface Asked {
  /** The body, sent as JSON or as bytes. */
  body?: object
  /** Undefined: the header is not sent. */
  headers?: Record<string, string | undefined>
}

export interface ConsoleClient {
  cookies: Map<string, string>
  /** Sends a request to a path below `/console/api`, with the current token. */
  ask(method: string, path: string, asked?: Asked): Promise<ConsoleAnswer>
}

/** The cookies of a client, for a request over a real socket. */
export const cookieHeader = ({ cookies }: Pick<ConsoleClient, 'cookies'>): string =>
  [...cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')

const sent = (headers: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** @param at the listener; default: the public listener */
export function consoleClient(plane: Plane, at: 'public' | 'operator' = 'public'): ConsoleClient {
  const { server, origin } =
    at === 'public'
      ? { server: plane.server, origin: plane.config.console.origin }
      : { server: plane.operator, origin: plane.config.operatorConsole.origin }
  const cookies = new Map<string, string>()
  const send = async (
    method: string,
    path: string,
    { body, headers = {} }: Asked,
  ): Promise<ConsoleAnswer> => {
    const answer = await server.inject({
      method: method as Method,
      url: `/console/api${path}`,
      headers: sent({
        host: 'localhost',
        cookie: cookieHeader({ cookies }),
        ...(method === 'GET' ? {} : { origin }),
        ...headers,
      }),
      ...(body === undefined ? {} : { payload: body }),
    })
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [[name, value] = ['', '']] = Object.entries(parse(line.split(';', 1)[0] ?? ''))
      if (value === undefined || value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const isJson = String(answer.headers['content-type']).startsWith('application/json')
    return {
      status: answer.statusCode,
      body: isJson ? answer.json<Record<string, unknown>>() : {},
      bytes: answer.rawPayload,
      headers: answer.headers,
    }
  }
  return {
    cookies,
    async ask(method, path, asked = {}) {
      if (method === 'GET') return send(method, path, asked)
      const { body } = await send('GET', '/session', {})
      const headers = { 'x-csrf-token': String(body['csrf_token']), ...asked.headers }
      return send(method, path, { ...asked, headers })
    },
  }
}

export const testPassword = 'correct horse battery'

/** Signs a user in at the operators' console. */
export async function operatorDesk(plane: Plane, email: string): Promise<ConsoleClient> {
  const client = consoleClient(plane, 'operator')
  const answer = await client.ask('POST', '/auth/sign-in/email', { body: { email, password: testPassword } })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return client
}

/** Creates a user by a one-time link, who is then signed in. */
export async function consoleUser(
  plane: Plane,
  of: { role: 'operator' } | { role: Role; projectId: string },
): Promise<{ client: ConsoleClient; email: string; userId: string }> {
  const { db, clock } = plane.app.core
  const [token, now, email] = [newSecret('invitation'), clock.now(), `${newId('user')}@example.com`]
  await db.invitation.create({
    data: {
      id: newId('invitation'),
      tokenHash: hashSecret(token),
      role: of.role,
      createdBy: '',
      projectId: 'projectId' in of ? of.projectId : null,
      createdAt: now,
      expiresAt: new Date(now.getTime() + 60_000),
    },
  })
  const client = consoleClient(plane)
  const user = { name: 'Ann Example', email, password: testPassword }
  const accepted = await client.ask('POST', '/invitations/accept', { body: { token, user } })
  if (accepted.status !== 200) throw new Error(JSON.stringify(accepted.body))
  const { id: userId } = await db.user.findUniqueOrThrow({ where: { email } })
  return { client, email, userId }
}

/** The token of a one-time link that an operator creates with the operator's token. */
export async function operatorLink(
  plane: Plane,
  path: '/invitations' | '/resets' = '/invitations',
  payload: object = {},
): Promise<string> {
  const made = await plane.operator.inject({
    method: 'POST',
    url: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
    payload,
  })
  return new URL(made.json<{ url: string }>().url).hash.slice(1)
}

/** Opens a one-time link as a client without a session. Returns the status of the response. */
export const statusOfLink = async (plane: Plane, token: string): Promise<number> =>
  (await consoleClient(plane).ask('POST', '/invitations/look', { body: { token } })).status

/** The token of a link. */
export const tokenOf = (url: unknown): string => new URL(String(url)).hash.slice(1)
