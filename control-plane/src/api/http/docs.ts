/**
 * Serves the documentation site at `/docs` and the packages for authors of agents at `/packages`: the files of `site/`,
 * without a key and without requests to other servers.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ApiError } from '@phonerack/shared'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendError } from './errors.js'
import { addSendFile, caching, notFoundPage, readSite, siteFolder, type SiteFile } from './site-files.js'

/**
 * Styles in attributes serve the colors of highlighted code and the API reference. Images may also come from an API's
 * answer.
 */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const headers = {
  'content-security-policy': policy,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** The address of the service in the examples. The page itself replaces it in a browser. */
const documented = 'http://127.0.0.1:7700'
const forModels = /\.md$|^llms-full\.txt$/

/** @param folder the built site; null: there are no pages, and `/docs` is not found */
export async function addDocs(
  app: FastifyInstance,
  baseUrl: string,
  folder: string | null = siteFolder(),
): Promise<void> {
  if (folder === null) return
  const files = readSite(folder)
  await app.register(async (docs) => {
    await addSendFile(docs, folder)
    // All clients share one copy, so clients that do not read their answer need no further memory.
    const texts = new Map<string, Buffer>()
    const textOf = (name: string): Buffer => {
      const text =
        texts.get(name) ??
        Buffer.from(readFileSync(path.join(folder, name), 'utf8').replaceAll(documented, baseUrl))
      texts.set(name, text)
      return text
    }
    const send = (file: SiteFile, reply: FastifyReply): FastifyReply =>
      forModels.test(file.name)
        ? reply.type('text/markdown; charset=utf-8').send(textOf(file.name))
        : reply.sendFile(file.name)
    const route = (url: string, below = ''): void => {
      docs.route({
        method: ['GET', 'HEAD'],
        url,
        schema: { hide: true },
        handler: (request, reply) => {
          const file = files.get(`${below}${pathBelow(request)}`)
          if (!file) return sendMissing(request, reply)
          reply.headers({ ...headers, 'cache-control': file.isHashed ? caching.hashed : caching.other })
          return send(file, reply)
        },
      })
    }
    for (const url of ['/docs', '/docs/', '/docs/*']) route(url)
    for (const url of ['/packages/', '/packages/*']) route(url, 'packages/')
    route('/llms-full.txt', 'llms-full.txt')
  })
}

const pathBelow = ({ params }: FastifyRequest): string => (params as { '*'?: string })['*'] ?? ''

/** People get a page, programs the error envelope. */
function sendMissing(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.headers.accept?.includes('text/html') === true)
    return reply.code(404).headers(headers).sendFile(notFoundPage)
  sendError(new ApiError('not_found'), request, reply)
  return reply
}
