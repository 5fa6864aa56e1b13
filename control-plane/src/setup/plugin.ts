/**
 * `/setup`: the page on which a person confirms a terminal, until the console has one. Only the operator can: it takes the
 * operator token. Against forged requests: `Origin` must be ours, and a value in a cookie must be repeated in the form.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { hashSecret, isSecret, limits } from '@phonerack/shared'
import { parse, serialize } from 'cookie'
import { type FastifyPluginAsync, type FastifyReply, type FastifyRequest } from 'fastify'
import { createSecretLookup } from '../db/secret-lookup.js'
import { type Strangers } from '../http/strangers/strangers.js'
import { type Core } from '../phones/core.js'
import { askPage, donePage, reviewPage, style } from './html.js'
import { decideSetup, reviewSetup } from './service.js'

const cookieName = 'phonerack_setup'
const styleHash = createHash('sha256').update(style).digest('base64')
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // Not `no-referrer`: with it browsers send `Origin: null` with a form.
  'referrer-policy': 'same-origin',
}

const refusals = {
  token: 'This operator token is not known.',
  code: 'No terminal waits with this code. Codes live for 15 minutes.',
  locked: 'Too many wrong codes. Wait 15 minutes, then start again in the terminal.',
} as const

/** @param baseUrl the public address, whose origin a form must come from */
export const setupPlugin =
  (core: Core, baseUrl: string, strangers: Strangers): FastifyPluginAsync =>
  (app) => {
    const { origin, protocol } = new URL(baseUrl)
    const operators = createSecretLookup(async (hashes) => {
      const rows = await core.db.operatorToken.findMany({
        where: { secretHash: { in: hashes } },
        select: { secretHash: true },
      })
      return rows.map(({ secretHash }) => secretHash)
    })
    app.addHook('onClose', (_app, done) => {
      operators.close()
      done()
    })
    const form = { config: { rawBody: true }, bodyLimit: 10_000 }

    const send = (reply: FastifyReply, status: number, text: string): FastifyReply =>
      reply.code(status).headers(pageHeaders).serializer(String).send(text)

    /** A new value for the form, in the cookie too. */
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

    /** The form's fields; null when it does not come from our page. */
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
          `This form did not come from ${origin}/setup. Open that page and start again.`,
        ),
      )

    app.get('/setup', (_request, reply) => send(reply, 200, askPage(newCsrf(reply), null)))

    app.post('/setup/review', form, async (request, reply) => {
      const fields = fieldsOf(request)
      if (!fields) return notOurs(reply)
      const token = fields.get('operator_token') ?? ''
      const isKnown = async (): Promise<boolean> =>
        isSecret('operator', token) && (await operators.has(hashSecret(token)))
      if (strangers.isLimited(request.raw) && !(await isKnown()))
        return send(reply, 429, askPage(newCsrf(reply), 'Too many tries. Wait a minute.'))
      const look = await reviewSetup(core, token, fields.get('user_code') ?? '')
      if ('refused' in look) {
        strangers.failed(request.raw)
        const status = look.refused === 'locked' ? 429 : 403
        return send(reply, status, askPage(newCsrf(reply), refusals[look.refused]))
      }
      const projects = await core.db.project.findMany({
        select: { id: true, name: true },
        orderBy: { createdAt: 'asc' },
      })
      return send(reply, 200, reviewPage(newCsrf(reply), look.found, projects, core.clock.now()))
    })

    app.post('/setup/decide', form, async (request, reply) => {
      const fields = fieldsOf(request)
      if (!fields) return notOurs(reply)
      const allow = fields.get('decision') === 'allow'
      const ticket = fields.get('ticket') ?? ''
      const decided = await decideSetup(
        core,
        ticket,
        allow ? { allow, projectId: fields.get('project') ?? '' } : { allow },
      )
      if (!decided)
        return send(reply, 409, donePage('Too late', 'This terminal no longer waits. Start again there.'))
      return send(
        reply,
        200,
        allow
          ? donePage('Connected', 'The terminal gets its key within seconds. You can close this page.')
          : donePage('Denied', 'The terminal gets no key.'),
      )
    })
    return Promise.resolve()
  }

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
