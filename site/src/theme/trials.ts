/**
 * Sends the requests that a reader tries in the API reference through `/docs/try`, since the API refuses browsers
 * (`control-plane/src/api/http/try-it.ts`).
 */

const prefix = '/docs/try'

/** Returns a function that restores `fetch`. */
export function sendTrialsToThisOrigin(): () => void {
  const original = window.fetch
  window.fetch = async (input, init) => {
    const request = new Request(input, init)
    const { pathname, search } = new URL(request.url)
    if (!pathname.startsWith('/v1/')) return original(input, init)
    const { method, headers, signal } = request
    // The body of a request is a stream, which browsers send only over HTTP/2.
    const body = method === 'GET' || method === 'HEAD' ? null : await request.arrayBuffer()
    return original(`${prefix}${pathname}${search}`, { method, headers, signal, body })
  }
  return () => {
    window.fetch = original
  }
}
