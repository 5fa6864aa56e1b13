/**
 * Requests with a key that a reader sends from the pages of the documentation. The path `/docs/try/v1/…` stands for
 * `/v1/…`, which refuses browsers by their `Origin`. Only requests from this service's pages lose their `Origin`. Used by
 * `server/`.
 */
import type { IncomingMessage } from 'node:http'

const prefix = '/docs/try'

/** Returns Fastify's `rewriteUrl`. @param baseUrl public base address */
export function rewriteTrials(baseUrl: string): (request: IncomingMessage) => string {
  const { origin } = new URL(baseUrl)
  return (request) => {
    const url = request.url ?? '/'
    if (!url.startsWith(`${prefix}/v1/`)) return url
    if (isOwnPage(request, origin)) delete request.headers.origin
    return url.slice(prefix.length)
  }
}

/** Browsers send `Sec-Fetch-Site` to `https` addresses and to this machine, and pages cannot set it. */
function isOwnPage({ headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined ? headers.origin === origin : site === 'same-origin'
}
