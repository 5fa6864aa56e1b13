/** The settings of the console, and of the operators' console. docs/decisions/0286, 0291 */
import { isIP } from 'node:net'
import { isLoopback } from '@phonerack/shared'
import { setting } from '@phonerack/shared/settings'
import { z } from 'zod'

/** The console of one listener. */
export interface ConsoleConfig {
  origin: string
  /** Origins whose pages may send requests: the console's origin, and the origin of its listener. */
  origins: string[]
  /** Origin of links for people: the origin of the public console. */
  linkOrigin: string
  /** Origin of the operators' console. */
  operatorOrigin: string
  /**
   * Prefix of the console's cookies. Browsers send cookies to every port of a host, so each console needs a different
   * prefix.
   */
  cookiePrefix: 'phonerack' | 'phonerack-operator'
  hasOperatorPages: boolean
  /** The relying party of passkeys, and the origins that may use them; null if passkeys are off. */
  passkeys: { rpId: string; origins: string[] } | null
  /** Whether cookies are sent over HTTPS only. */
  isSecure: boolean
  /** Null: the service sends no mail, and people copy links. */
  mail: MailConfig | null
}

export interface MailConfig {
  /** The URL of the server, with the name and password if the server needs them. */
  smtpUrl: string
  from: string
}

const isOriginOnly = (text: string): boolean =>
  URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, '')

const origin = (message: string) => z.string().refine(isOriginOnly, message).optional()

export const consoleEnvironment = {
  PHONERACK_CONSOLE_URL: setting(
    origin('must be an origin, such as https://phones.example.com'),
    'Origin of the console, such as `https://phones.example.com`.',
    { fallback: 'the origin of `PHONERACK_BASE_URL`, with `localhost` for a loopback address' },
  ),
  PHONERACK_OPERATOR_CONSOLE_URL: setting(
    origin('must be an origin, such as http://localhost:8090'),
    'Origin of the operators’ console, where a tunnel or a proxy leads to it.',
    { fallback: 'the origin of `PHONERACK_OPERATOR_LISTEN`' },
  ),
  PHONERACK_OPERATOR_PAGES: setting(
    z.enum(['operator', 'public']).default('operator'),
    '`public`: the public console has the operators’ pages too.',
  ),
  PHONERACK_PASSKEY_RP_ID: setting(
    z.string().min(1).optional(),
    'Relying-party ID of passkeys: the host of the console, or a domain above it.',
    { fallback: 'the host of the console' },
  ),
  PHONERACK_SMTP_URL: setting(
    z.url({ protocol: /^smtps?$/ }).optional(),
    '`smtp://NAME:PASSWORD@HOST:PORT`, or `smtps:` for TLS from the start. Without it, no mail is sent, and people copy links.',
  ),
  PHONERACK_MAIL_FROM: setting(z.string().min(3).optional(), 'Sender of mail.', {
    fallback: '`phonerack@` and the host of the console',
  }),
}

type Environment = z.infer<z.ZodObject<typeof consoleEnvironment>>

const hostOf = (origin: string): string => new URL(origin).hostname.replace(/^\[(.*)\]$/, '$1')

/** Replaces a loopback address by `localhost`, since an IP address cannot be a relying party. */
function nameable(baseUrl: string): string {
  const url = new URL(baseUrl)
  const host = hostOf(baseUrl)
  if (isIP(host) !== 0 && isLoopback(host)) url.hostname = 'localhost'
  return url.origin
}

/** Browsers accept the page's host, or a domain above it, as a relying party. */
const isWithin = (host: string, rpId: string): boolean => host === rpId || host.endsWith(`.${rpId}`)

/** Origins at which a browser on this machine, or behind a tunnel to it, finds a listener. */
function originsOf({ host, port }: { host: string; port: number }): [string, ...string[]] {
  const isLocal = isLoopback(host) || host === '0.0.0.0' || host === '::'
  if (isLocal) return [`http://localhost:${port}`, `http://127.0.0.1:${port}`]
  return [`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`]
}

function passkeysFor(rpId: string, origins: readonly string[]): ConsoleConfig['passkeys'] {
  const able = origins.filter((each) => isIP(hostOf(each)) === 0 && isWithin(hostOf(each), rpId))
  return able.length === 0 ? null : { rpId, origins: able }
}

export interface ConsoleConfigs {
  console: ConsoleConfig
  operatorConsole: ConsoleConfig
}

/** @param baseUrl the public address of the service @param listen the operator's listener */
export function readConsoles(
  env: Environment,
  baseUrl: string,
  listen: { host: string; port: number },
): ConsoleConfigs {
  const listened = originsOf(listen)
  const operatorOrigin =
    env.PHONERACK_OPERATOR_CONSOLE_URL === undefined
      ? listened[0]
      : new URL(env.PHONERACK_OPERATOR_CONSOLE_URL).origin
  const own = readConsole(env, baseUrl, operatorOrigin)
  const origins = [...new Set([operatorOrigin, ...listened])]
  const chosen = env.PHONERACK_PASSKEY_RP_ID
  const host = hostOf(operatorOrigin)
  const operatorConsole: ConsoleConfig = {
    ...own,
    origin: operatorOrigin,
    origins,
    cookiePrefix: 'phonerack-operator',
    hasOperatorPages: true,
    passkeys: passkeysFor(chosen !== undefined && isWithin(host, chosen) ? chosen : host, origins),
    isSecure: operatorOrigin.startsWith('https:'),
  }
  return { console: own, operatorConsole }
}

function readConsole(env: Environment, baseUrl: string, operatorOrigin: string): ConsoleConfig {
  const origin =
    env.PHONERACK_CONSOLE_URL === undefined ? nameable(baseUrl) : new URL(env.PHONERACK_CONSOLE_URL).origin
  const origins = [...new Set([origin, new URL(baseUrl).origin])]
  const rpId = env.PHONERACK_PASSKEY_RP_ID ?? hostOf(origin)
  return {
    origin,
    origins,
    linkOrigin: origin,
    operatorOrigin,
    cookiePrefix: 'phonerack',
    hasOperatorPages: env.PHONERACK_OPERATOR_PAGES === 'public',
    passkeys: passkeysFor(rpId, origins),
    isSecure: origin.startsWith('https:'),
    mail:
      env.PHONERACK_SMTP_URL === undefined
        ? null
        : {
            smtpUrl: env.PHONERACK_SMTP_URL,
            from: env.PHONERACK_MAIL_FROM ?? `Phonerack <phonerack@${hostOf(origin)}>`,
          },
  }
}
