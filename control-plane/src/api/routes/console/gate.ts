/** Checks every request of `/console/api`: its origin, its sender, and the sender's rights. */
import { ApiError, hashSecret } from '@phonerack/shared'
import { parse, serialize } from 'cookie'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createLru } from '../../../base/lru.js'
import { type ConsoleConfig } from '../../../base/config/console.js'
import { type SignUpConfig } from '../../../base/config/sign-in.js'
import { type Core } from '../../../base/core/core.js'
import { addressOf, networkOf } from '../../../base/failure-limit/network.js'
import { createRateLimit, type RateLimit } from '../../http/rate-limit.js'
import { addressHeader, recentSignIn } from '../../../people/users/auth-settings.js'
import type { Auth } from '../../../people/users/auth.js'
import { type Csrf } from '../../../people/users/csrf.js'
import { type Mailer } from '../../../people/users/mail.js'
import { findMembership, lacksRole, noProject, type ProjectOfUser } from '../../../people/users/members.js'
import { type Providers } from '../../../people/users/providers/providers.js'
import { atLeast, type Actor, type SignedIn } from '../../../people/users/types.js'
import { isOperatorRoute, rules, type Rule } from './rules.js'

export const apiPath = '/console/api'

/** A page sends 20 requests a minute for its live list, and a few for each action. Each replica counts by itself. */
const requestsPerUserPerMinute = 600
/** A wall of thumbnails sends 12 requests a second. */
const frequentPerUserPerMinute = 900
/** Milliseconds for which reads of a page share one read of its session. A change at this replica ends the period. */
const sessionMs = 1000
/** Number of sign-ins whose session is kept in memory. */
const maxSessions = 10_000

/** The sender of a request, as the gate has checked it. */
interface Person {
  /** Null: the sender is not signed in. */
  signedIn: SignedIn | null
  /** The project that the path names; null if it names none. */
  project: ProjectOfUser | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gate of `/console/api`. */
    person: Person | null
  }
}

export interface GateDeps {
  core: Core
  config: ConsoleConfig
  auth: () => Promise<Auth>
  csrf: Csrf
  /** Null: the service sends no mail. */
  mailer: Mailer | null
  signUp: SignUpConfig
  providers: Providers
}

/** Returns the user of a request. Only for routes whose rule is not `anyone`. */
export function signedInOf(request: FastifyRequest): SignedIn {
  const signedIn = request.person?.signedIn
  if (!signedIn)
    throw new Error(`the rule of ${request.routeOptions.url ?? request.url} does not need a user`)
  return signedIn
}

/** Returns the project of a request. Only for routes below a project. */
export function projectOf(request: FastifyRequest): ProjectOfUser {
  const project = request.person?.project
  if (!project) throw new Error(`${request.routeOptions.url ?? request.url} does not name a project`)
  return project
}

/** Whether the user may change things of the project, and not only see them. For routes below a project. */
export const isMember = (request: FastifyRequest): boolean => atLeast(projectOf(request).role, 'member')

export const actorOf = (request: FastifyRequest): Actor => ({
  user: signedInOf(request).user,
  address: addressOf(request),
  requestId: request.id,
})

/**
 * Names the client in counts of attempts. A subscriber of IPv6 has a whole network of addresses, so the network is
 * counted.
 */
export const clientOf = (request: FastifyRequest): string => networkOf(addressOf(request))

const nameOf = ({ isSecure, cookiePrefix }: ConsoleConfig, what: string): string =>
  `${isSecure ? '__Secure-' : ''}${cookiePrefix}.${what}`
const seedCookie = (config: ConsoleConfig): string => nameOf(config, 'seed')
const sessionCookie = (config: ConsoleConfig): string => nameOf(config, 'session_token')

/** Returns the token for the page's next requests. Creates the random cookie if the request has none. */
export function csrfTokenFor(request: FastifyRequest, reply: FastifyReply, deps: GateDeps): string {
  const { config, csrf } = deps
  const cookies = parse(request.headers.cookie ?? '')
  let seed = cookies[seedCookie(config)] ?? ''
  if (seed === '') {
    seed = csrf.newSeed()
    const attributes = { path: '/console', httpOnly: true, sameSite: 'lax', secure: config.isSecure } as const
    reply.header('set-cookie', serialize(seedCookie(config), seed, attributes))
  }
  return csrf.tokenOf(seed, sessionAfter(request, reply, sessionCookie(config)))
}

/**
 * Returns the session cookie that the next request will send. This response may remove the cookie, since the session
 * has ended.
 */
function sessionAfter(request: FastifyRequest, reply: FastifyReply, name: string): string {
  const set = [reply.getHeader('set-cookie') ?? []].flat().map((line) => parse(String(line))[name])
  return set.findLast((value) => value !== undefined) ?? parse(request.headers.cookie ?? '')[name] ?? ''
}

const forged = (message: string): ApiError =>
  new ApiError('browser_requests_not_allowed', { message, next: 'Reload the page, then try again.' })

/** @throws ApiError browser_requests_not_allowed */
function checkSource(request: FastifyRequest, { config, csrf }: GateDeps): void {
  const { headers } = request
  if (request.method === 'GET') {
    const site = headers['sec-fetch-site']
    if (site === 'cross-site' || site === 'same-site') throw forged('This request came from another site.')
    return
  }
  if (headers.origin === undefined || !config.origins.includes(headers.origin))
    throw forged(`This request did not come from a page at ${config.origin}.`)
  const cookies = parse(headers.cookie ?? '')
  const token = headers['x-csrf-token']
  const session = cookies[sessionCookie(config)] ?? ''
  if (typeof token === 'string' && csrf.isValid(token, cookies[seedCookie(config)] ?? '', session)) return
  throw forged('This page is out of date.')
}

/** Headers for better-auth: the headers of the client, and the client's address as this server knows it. */
export function authHeaders(request: FastifyRequest): Headers {
  const headers = new Headers()
  for (const name of ['cookie', 'origin', 'user-agent', 'sec-fetch-site', 'sec-fetch-mode'] as const) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  headers.set(addressHeader, addressOf(request))
  return headers
}

/**
 * Returns a name for the session of a request, derived from its cookie without revealing the cookie; null without a
 * cookie.
 */
const cookieSubject = (request: FastifyRequest, config: ConsoleConfig): string | null => {
  const value = parse(request.headers.cookie ?? '')[sessionCookie(config)]
  return value === undefined ? null : hashSecret(value)
}

/** Reads the session that the cookie of a request names. */
async function readSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { auth }: GateDeps,
): Promise<SignedIn | null> {
  const { api } = await auth()
  const { headers, response } = await api.getSession({ headers: authHeaders(request), returnHeaders: true })
  // A request extends the session and its cookie.
  for (const cookie of headers.getSetCookie()) reply.header('set-cookie', cookie)
  if (!response) return null
  const { user, session } = response
  return {
    user: { id: user.id, name: user.name, email: user.email, isOperator: user.isOperator },
    sessionId: session.id,
    signedInAt: session.createdAt,
  }
}

const signedOut = (reason: 'signed_out' | 'recent_sign_in', message: string): ApiError =>
  new ApiError('unauthorized', { message, next: 'Sign in.', details: { reason } })

const notOperator = (): ApiError =>
  new ApiError('insufficient_scope', {
    message: 'Only operators may do this.',
    next: null,
    details: { required: 'operator' },
  })

/** Limits per user. */
interface Limits {
  perUser: RateLimit
  /** For rules with `isFrequent`. */
  frequent: RateLimit
}

/** @throws ApiError unauthorized, not_found, insufficient_scope */
async function admit(
  request: FastifyRequest,
  rule: Rule,
  { core, perUser, frequent }: GateDeps & Limits,
  found: SignedIn | null,
) {
  request.person = { signedIn: found, project: null }
  // Postgres cannot store a NUL, so no object has such a name.
  if (Object.values(request.params as Record<string, string>).some((value) => value.includes('\0')))
    throw new ApiError('not_found')
  if (found) (rule.isFrequent ? frequent : perUser).count(found.user.id)
  if (rule.who === 'anyone') return
  if (!found) throw signedOut('signed_out', 'You are not signed in.')
  if (rule.who === 'operator' && !found.user.isOperator) throw notOperator()
  if (rule.who !== 'user' && rule.who !== 'operator') {
    const { project: id = '' } = request.params as { project?: string }
    const project = await findMembership(core, found.user, id)
    if (!project) throw noProject()
    request.person.project = project
    if (!atLeast(project.role, rule.who)) throw lacksRole(rule.who)
  }
  const age = core.clock.now().getTime() - found.signedInAt.getTime()
  if (rule.isRecent && age > recentSignIn * 1000)
    throw signedOut('recent_sign_in', 'Confirm that it is you. Your last sign-in was too long ago.')
}

/** Used by the plugin that holds the routes of `/console/api`. */
export function addConsoleGate(app: FastifyInstance, deps: GateDeps): void {
  const unused = new Set(
    Object.keys(rules).filter((name) => deps.config.hasOperatorPages || !isOperatorRoute(name)),
  )
  const ofUser = (perMinute: number): RateLimit => createRateLimit(perMinute, deps.core.clock, 'user')
  const limited = { perUser: ofUser(requestsPerUserPerMinute), frequent: ofUser(frequentPerUserPerMinute) }
  const sessions = createLru<Promise<SignedIn | null>>({ max: maxSessions, ttl: sessionMs })
  /** The request is counted before Postgres is read, since one browser could otherwise keep Postgres busy for all. */
  const signedIn = (request: FastifyRequest, reply: FastifyReply, rule: Rule): Promise<SignedIn | null> => {
    const subject = cookieSubject(request, deps.config)
    if (subject === null) return Promise.resolve(null)
    ;(rule.isFrequent ? limited.frequent : limited.perUser).count(subject)
    const known = request.method === 'GET' ? sessions.get(subject) : undefined
    if (known) return known
    const read = readSession(request, reply, deps)
    sessions.set(subject, read)
    read.catch(() => sessions.delete(subject))
    return read
  }
  const ruleOf = (method: string, url: string): Rule => {
    const name = `${method} ${url.slice(apiPath.length)}`
    const rule = (rules as Readonly<Record<string, Rule>>)[name]
    if (!rule) throw new Error(`${name} has no rule in routes/console/rules.ts`)
    unused.delete(name)
    return rule
  }
  app.decorateRequest('person', null)
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) ruleOf(method, route.url)
  })
  app.addHook('onReady', (done) => {
    const [name] = unused
    done(name === undefined ? undefined : new Error(`${name} has a rule, and no route`))
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-content-type-options', 'nosniff')
    checkSource(request, deps)
    const rule = ruleOf(request.method, request.routeOptions.url ?? '')
    await admit(request, rule, { ...deps, ...limited }, await signedIn(request, reply, rule))
  })
  app.addHook('onResponse', (request, _reply, done) => {
    // A write may have ended sessions or changed a user's rights.
    if (request.method !== 'GET') sessions.clear()
    done()
  })
}
