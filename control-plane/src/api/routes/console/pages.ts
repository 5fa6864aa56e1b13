/** `/console`: the page with a nonce per response, and its files. docs/decisions/0288 */
import { randomBytes } from 'node:crypto'
import { ApiError } from '@phonerack/shared'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type ConsoleFile, type ConsoleFiles } from './files.js'

const pagePath = '/console'

const common = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}

/** @param liveOrigin the origin of live views, which pages of phones embed */
const policyFor = (nonce: string, liveOrigin: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "media-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src ${liveOrigin}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

/** @param files null: the console was not built */
export function addConsolePages(app: FastifyInstance, files: ConsoleFiles | null, liveOrigin: string): void {
  const hidden = { schema: { hide: true } }
  const page = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // An unknown path of the API answers with an error, since a program expects JSON.
    if (request.url.startsWith(`${pagePath}/api/`)) throw new ApiError('not_found')
    if (!files) throw new ApiError('not_found', { message: 'The console was not built.', next: null })
    const nonce = randomBytes(16).toString('base64')
    return reply
      .headers({
        ...common,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policyFor(nonce, liveOrigin),
        // A client may have opened its request for access in a window, which returns to the client's own page.
        'cross-origin-opener-policy': request.url.startsWith(`${pagePath}/authorize?`)
          ? 'unsafe-none'
          : 'same-origin',
        'x-frame-options': 'DENY',
        'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      })
      .serializer(String)
      .send(files.html.replaceAll('__NONCE__', nonce))
  }
  app.get(pagePath, hidden, page)
  app.get(`${pagePath}/`, hidden, page)
  // The page's router knows the paths of the console.
  app.get(`${pagePath}/*`, hidden, page)
  app.get<{ Params: { name: string } }>(`${pagePath}/assets/:name`, hidden, (request, reply) => {
    const file = files?.assets.get(request.params.name)
    if (!file) throw new ApiError('not_found', { message: 'There is no such file.', next: null })
    const { encoding, content } = encodedFor(request, file)
    return reply
      .headers({
        ...common,
        ...(encoding === null ? {} : { 'content-encoding': encoding }),
        vary: 'accept-encoding',
        'cache-control': 'public, max-age=31536000, immutable',
      })
      .type(file.type)
      .send(content)
  })
}

/** Browsers accept Brotli only over HTTPS and from the same machine. */
function encodedFor(
  { headers }: FastifyRequest,
  { content, gzip, brotli }: ConsoleFile,
): { encoding: string | null; content: Buffer } {
  const accepted = headers['accept-encoding'] ?? ''
  if (brotli && /\bbr\b/.test(accepted)) return { encoding: 'br', content: brotli }
  if (gzip && /\bgzip\b/.test(accepted)) return { encoding: 'gzip', content: gzip }
  return { encoding: null, content }
}
