/** Settings for new accounts of the console, and for sign-in at identity providers. docs/decisions/0290 */
import { parseUsd } from '@phonerack/shared'
import { setting } from '@phonerack/shared/settings'
import { z } from 'zod'
import { entriesOf, isLocalOnly, networkList, parseNetwork, type Network } from './webhooks.js'

const signUpModes = ['invite', 'domain', 'open'] as const

export interface SignUpConfig {
  /** `invite`: only invited people; `domain`: people with an address in `domains`; `open`: all people. */
  who: (typeof signUpModes)[number]
  /** Domains in lower case. */
  domains: string[]
  /** Credit of the first project, in micro-dollars. */
  creditMicros: bigint
}

interface Client {
  /** The name that people see. */
  name: string
  clientId: string
  /** Null: the provider accepts PKCE as the only proof. */
  clientSecret: string | null
}

export type ProviderConfig =
  | (Client & {
      kind: 'oidc'
      id: 'google' | 'oidc'
      /** The issuer exactly as in its metadata. */
      issuer: string
    })
  | (Client & {
      kind: 'github'
      id: 'github'
      /** Address of the provider's pages, without a trailing slash. */
      url: string
      apiUrl: string
    })

export interface SignInConfig {
  signUp: SignUpConfig
  providers: ProviderConfig[]
  /** Networks that are not public, to which requests to identity providers may go. */
  allowed: Network[]
  /** True: the service is unreachable from other machines, so an identity provider needs no `https`. */
  allowsHttp: boolean
}

export const googleIssuer = 'https://accounts.google.com'

const isIssuer = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '')
}
const domainPattern = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/

const domains = z
  .string()
  .default('')
  .transform((list) => entriesOf(list.toLowerCase()))
  .refine((all) => all.every((each) => domainPattern.test(each)), 'must be domains, such as example.com')

const text = (about: string) => setting(z.string().min(1).optional(), about)

export const signInEnvironment = {
  PHONERACK_SIGN_UP: setting(
    z.enum(signUpModes).default('invite'),
    'The people who can create an account of the console. `invite`: only invited people; `domain`: also people with an address in the domains below; `open`: all people.',
  ),
  PHONERACK_SIGN_UP_DOMAINS: setting(
    domains,
    'Domains of mail addresses, separated by commas, for `domain`.',
  ),
  PHONERACK_SIGN_UP_CREDIT: setting(
    z
      .string()
      .regex(/^\d{1,12}(\.\d{1,6})?$/, 'must be an amount in dollars with at most six decimal places')
      .default('0'),
    'Credit of the first project of a new account.',
    { unit: 'dollars' },
  ),
  PHONERACK_GOOGLE_CLIENT_ID: text('With the next setting, people sign in with Google.'),
  PHONERACK_GOOGLE_CLIENT_SECRET: text('Secret of the client at Google.'),
  PHONERACK_GITHUB_CLIENT_ID: text('With the next setting, people sign in with GitHub.'),
  PHONERACK_GITHUB_CLIENT_SECRET: text('Secret of the client at GitHub.'),
  PHONERACK_GITHUB_URL: setting(
    z.url({ protocol: /^https?$/ }).default('https://github.com'),
    'Address of a GitHub Enterprise Server.',
  ),
  PHONERACK_OIDC_ISSUER: setting(
    z
      .string()
      .refine(isIssuer, 'must be an address without a query, such as https://login.example.com')
      .optional(),
    'URL of an OpenID Connect issuer. It must equal `issuer` in the metadata of the issuer.',
  ),
  PHONERACK_OIDC_CLIENT_ID: text('The client at the issuer.'),
  PHONERACK_OIDC_CLIENT_SECRET: text(
    'Secret of the client at the issuer. Without a secret, the issuer must accept PKCE as the only proof.',
  ),
  PHONERACK_OIDC_NAME: setting(
    z.string().min(1).max(40).default('single sign-on'),
    'Name of the issuer on the sign-in page.',
  ),
  PHONERACK_OIDC_ALLOW: setting(
    networkList(),
    'Private addresses or networks, separated by commas, at which identity providers may be.',
  ),
}

type SignInEnvironment = z.infer<z.ZodObject<typeof signInEnvironment>>

const pairs = [
  ['PHONERACK_GOOGLE_CLIENT_ID', 'PHONERACK_GOOGLE_CLIENT_SECRET'],
  ['PHONERACK_GITHUB_CLIENT_ID', 'PHONERACK_GITHUB_CLIENT_SECRET'],
] as const

interface Problem {
  name: keyof SignInEnvironment | 'PHONERACK_SMTP_URL'
  message: string
}

/** Returns the problems of settings that contradict each other. */
export function signInProblems(
  env: SignInEnvironment & { PHONERACK_SMTP_URL?: string | undefined },
): Problem[] {
  const problems: Problem[] = []
  const isDomain = env.PHONERACK_SIGN_UP === 'domain'
  if (isDomain !== env.PHONERACK_SIGN_UP_DOMAINS.length > 0)
    problems.push({
      name: 'PHONERACK_SIGN_UP_DOMAINS',
      message: isDomain ? 'is needed by PHONERACK_SIGN_UP=domain' : 'needs PHONERACK_SIGN_UP=domain',
    })
  for (const [id, secret] of pairs)
    if ((env[id] === undefined) !== (env[secret] === undefined))
      problems.push({ name: secret, message: `and ${id} go together` })
  if ((env.PHONERACK_OIDC_ISSUER === undefined) !== (env.PHONERACK_OIDC_CLIENT_ID === undefined))
    problems.push({ name: 'PHONERACK_OIDC_CLIENT_ID', message: 'and PHONERACK_OIDC_ISSUER go together' })
  // GitHub does not state whether an address still belongs to the person.
  const provers = readProviders(env).filter(({ kind }) => !isDomain || kind !== 'github')
  const provesAddresses = env.PHONERACK_SMTP_URL !== undefined || provers.length > 0
  if (env.PHONERACK_SIGN_UP !== 'invite' && !provesAddresses)
    problems.push({
      name: 'PHONERACK_SMTP_URL',
      message: `or an identity provider${isDomain ? ' other than GitHub' : ''} is needed by PHONERACK_SIGN_UP=${env.PHONERACK_SIGN_UP}, to verify addresses`,
    })
  return problems
}

/** @param host the address of the listener */
export const readSignIn = (env: SignInEnvironment, baseUrl: string, host: string): SignInConfig => ({
  signUp: {
    who: env.PHONERACK_SIGN_UP,
    domains: env.PHONERACK_SIGN_UP_DOMAINS,
    creditMicros: parseUsd(env.PHONERACK_SIGN_UP_CREDIT),
  },
  providers: readProviders(env),
  allowed: env.PHONERACK_OIDC_ALLOW.map(parseNetwork),
  allowsHttp: isLocalOnly(baseUrl, host),
})

function readProviders(env: SignInEnvironment): ProviderConfig[] {
  const providers: ProviderConfig[] = []
  const { PHONERACK_GOOGLE_CLIENT_ID: googleId, PHONERACK_GITHUB_CLIENT_ID: gitHubId } = env
  const { PHONERACK_OIDC_CLIENT_ID: oidcId, PHONERACK_OIDC_ISSUER: issuer } = env
  if (googleId !== undefined)
    providers.push({
      kind: 'oidc',
      id: 'google',
      name: 'Google',
      issuer: googleIssuer,
      clientId: googleId,
      clientSecret: env.PHONERACK_GOOGLE_CLIENT_SECRET ?? null,
    })
  if (gitHubId !== undefined) {
    const url = env.PHONERACK_GITHUB_URL.replace(/\/+$/, '')
    providers.push({
      kind: 'github',
      id: 'github',
      name: 'GitHub',
      url,
      apiUrl: url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`,
      clientId: gitHubId,
      clientSecret: env.PHONERACK_GITHUB_CLIENT_SECRET ?? null,
    })
  }
  if (oidcId !== undefined && issuer !== undefined)
    providers.push({
      kind: 'oidc',
      id: 'oidc',
      name: env.PHONERACK_OIDC_NAME,
      issuer,
      clientId: oidcId,
      clientSecret: env.PHONERACK_OIDC_CLIENT_SECRET ?? null,
    })
  return providers
}
