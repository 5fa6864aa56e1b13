/** Addresses to which a browser returns with a code. Pure. */
import { limits } from '@phonerack/shared'

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/** A program on the user's machine, which may listen on any port (RFC 8252). */
const isLoopback = (url: URL): boolean => url.protocol === 'http:' && loopbackHosts.includes(url.hostname)

/**
 * Accepts `https` addresses and programs on the user's machine. Other schemes could run code or open other programs.
 */
export function isRedirect(text: string): boolean {
  if (text.length > limits.connectors.redirect || !URL.canParse(text) || text.includes('#')) return false
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || isLoopback(url)
}

/** Whether the client has registered exactly this address. The port of a program on the user's machine may differ. */
export function isRegistered(redirectUri: string, registered: readonly string[]): boolean {
  if (!isRedirect(redirectUri)) return false
  if (registered.includes(redirectUri)) return true
  const url = new URL(redirectUri)
  return isLoopback(url) && registered.some((each) => withoutPort(each) === withoutPort(redirectUri))
}

function withoutPort(text: string): string {
  const url = new URL(text)
  url.port = ''
  return url.href
}

/** Returns the host of the address, in a form for people. */
export const hostOfRedirect = (redirectUri: string): { host: string; isThisMachine: boolean } => {
  const url = new URL(redirectUri)
  return { host: url.host, isThisMachine: isLoopback(url) }
}

/**
 * Returns the redirect address with the response. `iss` tells a client of several servers which server responds (RFC
 * 9207).
 */
export function answerAt(
  redirectUri: string,
  issuer: string,
  answer: Readonly<Record<string, string | null>>,
): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(answer)) if (value !== null) url.searchParams.set(name, value)
  url.searchParams.set('iss', issuer)
  return url.href
}
