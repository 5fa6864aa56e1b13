/** `/console`: the page with a nonce per response, and its files. docs/decisions/0288 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ApiError } from '@phonerack/shared'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { addSendFile, caching } from '../../http/site-files.js'

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

/** @param folder the built console; null: it was not built */
export async function addConsolePages(
  app: FastifyInstance,
  folder: string | null,
  liveOrigin: string,
): Promise<void> {
  const html = folder && readFileSync(path.join(folder, 'index.html'), 'utf8')
  const hidden = { schema: { hide: true } }
  const page = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // An unknown path of the API answers with an error, since a program expects JSON.
    if (request.url.startsWith(`${pagePath}/api/`)) throw new ApiError('not_found')
    if (html === null) throw new ApiError('not_found', { message: 'The console was not built.', next: null })
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
      .send(html.replaceAll('__NONCE__', nonce))
  }
  app.get(pagePath, hidden, page)
  app.get(`${pagePath}/`, hidden, page)
  // The page's router knows the paths of the console.
  app.get(`${pagePath}/*`, hidden, page)
  if (folder === null) return
  const root = path.join(folder, 'assets')
  const names = new Set(readdirSync(root).filter((name) => !/\.(gz|br)$/.test(name)))
  await app.register(async (assets) => {
    await addSendFile(assets, root)
    assets.get<{ Params: { name: string } }>(`${pagePath}/assets/:name`, hidden, (request, reply) => {
      const { name } = request.params
      if (!names.has(name)) throw new ApiError('not_found', { message: 'There is no such file.', next: null })
      return reply
        .headers({ ...common, vary: 'accept-encoding', 'cache-control': caching.hashed })
        .sendFile(name)
    })
  })
}
