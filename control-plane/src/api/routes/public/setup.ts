/**
 * `/setup`: pages on which a person approves a terminal. The decision requires an operator's one-time link. Against
 * forged requests, `Origin` must be this server's, and the form must repeat a value from a cookie.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { hashSecret, isSecret, limits } from '@phonerack/shared'
import { parse, serialize } from 'cookie'
import { type FastifyPluginAsync, type FastifyReply, type FastifyRequest } from 'fastify'
import { addressOf } from '../../../base/failure-limit/network.js'
import { type FailureLimit } from '../../../base/failure-limit/failure-limit.js'
import { type Core } from '../../../base/core/core.js'
import { createTicketLookup, decideSetup, terminalOfTicket } from '../../../people/setup/decision.js'
import { donePage, reviewPage, startPage, style } from '../../../people/setup/html.js'

const cookieName = 'phonerack_setup'
const styleHash = createHash('sha256').update(style).digest('base64')
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // With `no-referrer`, browsers would send `Origin: null` with a form.
  'referrer-policy': 'same-origin',
}

/** @param baseUrl the public address, whose origin a form must have @param consoleOrigin where members approve terminals */
export const setupPlugin =
  (core: Core, baseUrl: string, failureLimit: FailureLimit, consoleOrigin: string): FastifyPluginAsync =>
  (app) => {
    const { origin, protocol } = new URL(baseUrl)
    const tickets = createTicketLookup(core)
    app.addHook('onClose', (_app, done) => {
      tickets.close()
      done()
    })
    const form = { config: { rawBody: true }, bodyLimit: 10_000 }

    const send = (reply: FastifyReply, status: number, text: string): FastifyReply =>
      reply.code(status).headers(pageHeaders).serializer(String).send(text)

    /** Creates a CSRF token, and sets it as a cookie. */
    const newCsrf = (reply: FastifyReply): string => {
      const csrf = randomBytes(32).toString('base64url')
      const cookie = serialize(cookieName, csrf, {
        path: '/setup',
        httpOnly: true,
        sameSite: 'strict',
        secure: protocol === 'https:',
        maxAge: limits.setup.life,
      })
      reply.header('set-cookie', cookie)
      return csrf
    }

    /** Returns the form's fields; null if the form does not come from this server's page. */
    const fieldsOf = (request: FastifyRequest): URLSearchParams | null => {
      if (request.headers.origin !== origin) return null
      const bytes = request.readBody
      const fields = new URLSearchParams(Buffer.isBuffer(bytes) ? bytes.toString('utf8') : '')
      const expected = parse(request.headers.cookie ?? '')[cookieName] ?? ''
      return expected !== '' && isSame(expected, fields.get('csrf') ?? '') ? fields : null
    }

    const notOurs = (reply: FastifyReply): FastifyReply =>
      send(
        reply,
        403,
        donePage(
          'Please start again',
          `This form was not sent from a page at ${origin}. Open the link again.`,
        ),
      )

    /** True if the address has sent too many wrong links, and this link is unknown as well. */
    const isTooOften = async (network: string, ticket: string): Promise<boolean> =>
      failureLimit.isLimited(network) &&
      !(isSecret('setupLink', ticket) && (await tickets.has(hashSecret(ticket))))
    const tooOften = (reply: FastifyReply): FastifyReply =>
      send(reply, 429, donePage('Too many attempts', 'Wait a minute, then open the link again.'))
    /** Counts a failure of the address. */
    const notValid = (network: string, ticket: string, reply: FastifyReply): FastifyReply => {
      failureLimit.failed(network)
      tickets.forget(hashSecret(ticket))
      const why = 'The link was already used, has expired, or is incomplete. Ask for a new link.'
      return send(reply, 409, donePage('This link is not valid', why))
    }

    app.get('/setup', (_request, reply) => send(reply, 200, startPage(consoleOrigin)))

    app.get<{ Querystring: { ticket?: unknown; code?: unknown } }>(
      '/setup/confirm',
      async (request, reply) => {
        const network = failureLimit.networkOf(request.raw)
        const [ticket, code] = [textOf(request.query.ticket), textOf(request.query.code)]
        if (await isTooOften(network, ticket)) return tooOften(reply)
        const terminal = await terminalOfTicket(core, ticket, code)
        if (!terminal) return notValid(network, ticket, reply)
        const form = { csrf: newCsrf(reply), ticket }
        return send(reply, 200, reviewPage(form, terminal, core.clock.now()))
      },
    )

    app.post('/setup/decide', form, async (request, reply) => {
      const network = failureLimit.networkOf(request.raw)
      const fields = fieldsOf(request)
      if (!fields) return notOurs(reply)
      const ticket = fields.get('ticket') ?? ''
      if (await isTooOften(network, ticket)) return tooOften(reply)
      const allow = fields.get('decision') === 'allow'
      const person = { address: addressOf(request), requestId: request.id }
      if (!(await decideSetup(core, ticket, allow ? 'allow' : 'deny', person)))
        return notValid(network, ticket, reply)
      const text = allow
        ? 'The terminal receives its key within seconds.'
        : 'The terminal does not receive a key.'
      return send(reply, 200, donePage(allow ? 'Connected' : 'Denied', `${text} You can close this page.`))
    })
    return Promise.resolve()
  }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
