/**
 * Sends the requests that a reader tries in the API reference through `/docs/try`, since the API refuses browsers
 * (`control-plane/src/http/try-it.ts`).
 */

const prefix = '/docs/try'

/** Returns a function that restores `fetch`. */
export function sendTrialsToThisOrigin(): () => void {
  const original = window.fetch
  window.fetch = (input, init) => {
    const request = new Request(input, init)
    const { pathname, search } = new URL(request.url)
    if (!pathname.startsWith('/v1/')) return original(input, init)
    return original(new Request(`${prefix}${pathname}${search}`, request))
  }
  return () => {
    window.fetch = original
  }
}
