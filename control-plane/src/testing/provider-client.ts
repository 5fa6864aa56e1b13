/** A browser without a page that signs in at the issuer of `oidc-issuer.ts`. */
import { type ConsoleAnswer, type ConsoleClient } from './console-client.js'
import { client, type OidcIssuer } from './oidc-issuer.js'

export const environmentOf = (issuer: OidcIssuer): Record<string, string> => ({
  PHONERACK_OIDC_ISSUER: issuer.url,
  PHONERACK_OIDC_CLIENT_ID: client.id,
  PHONERACK_OIDC_CLIENT_SECRET: client.secret,
  PHONERACK_OIDC_NAME: 'Example ID',
  PHONERACK_OIDC_ALLOW: '127.0.0.0/8',
})

/** The issuer's response, which redirects the browser. */
export async function askIssuer(url: string): Promise<Record<string, string>> {
  const { headers, status } = await fetch(url, { redirect: 'manual' })
  const location = headers.get('location')
  if (location === null) throw new Error(`the issuer answered with status ${status}`)
  return Object.fromEntries(new URL(location).searchParams)
}

/**
 * Returns the issuer's URL.
 * @param path the path that begins the sign-in
 */
export async function begin(browser: ConsoleClient, path = '/auth/providers/oidc'): Promise<string> {
  const { status, body } = await browser.ask('POST', path, { body: {} })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return String(body['url'])
}

export const finish = (browser: ConsoleClient, answer: object): Promise<ConsoleAnswer> =>
  browser.ask('POST', '/auth/providers/oidc/callback', { body: answer })

/** Signs in from the first request to the last. */
export async function signInAt(browser: ConsoleClient, more: object = {}): Promise<ConsoleAnswer> {
  return finish(browser, { ...(await askIssuer(await begin(browser))), ...more })
}

export async function linkAt(browser: ConsoleClient): Promise<ConsoleAnswer> {
  return finish(browser, await askIssuer(await begin(browser, '/me/accounts/oidc')))
}

/** Returns the `details.reason` of a refusal. */
export const reasonOf = ({ body }: ConsoleAnswer): unknown =>
  (body['error'] as { details?: { reason?: unknown } } | undefined)?.details?.reason
