/** The settings of the console. docs/decisions/0286 */
import { isIP } from 'node:net'
import { isLoopback } from '@phonerack/shared'
import { z } from 'zod'

export interface ConsoleConfig {
  /** Origin of the console's links. */
  origin: string
  /** Origins whose pages may send requests: the console's, and that of the API. */
  origins: string[]
  /** The relying party of passkeys, and the origins that may use them; null: passkeys are off. */
  passkeys: { rpId: string; origins: string[] } | null
  /** Cookies are sent over HTTPS only. */
  isSecure: boolean
  /** Null: no mail is sent, and people copy links. */
  mail: MailConfig | null
}

export interface MailConfig {
  /** With the name and password for the server, if it needs them. */
  smtpUrl: string
  from: string
}

const isOriginOnly = (text: string): boolean =>
  URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, '')

export const consoleEnvironment = {
  /** Origin of the console, such as https://phones.example.com. Left out: that of PHONERACK_BASE_URL, with `localhost` for a loopback address. */
  PHONERACK_CONSOLE_URL: z
    .string()
    .refine(isOriginOnly, 'must be an origin, such as https://phones.example.com')
    .optional(),
  /** The relying-party ID of passkeys: the console's host, or a domain above it. Left out: the console's host. */
  PHONERACK_PASSKEY_RP_ID: z.string().min(1).optional(),
  /** `smtp://NAME:PASSWORD@HOST:PORT`, or `smtps:` for TLS from the start. Left out: no mail is sent. */
  PHONERACK_SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  /** The sender of mail. Left out: `phonerack@` and the console's host. */
  PHONERACK_MAIL_FROM: z.string().min(3).optional(),
}

type Environment = z.infer<z.ZodObject<typeof consoleEnvironment>>

const hostOf = (origin: string): string => new URL(origin).hostname.replace(/^\[(.*)\]$/, '$1')

/** An IP address cannot be a relying party, and `localhost` leads to the same server. */
function nameable(baseUrl: string): string {
  const url = new URL(baseUrl)
  const host = hostOf(baseUrl)
  if (isIP(host) !== 0 && isLoopback(host)) url.hostname = 'localhost'
  return url.origin
}

/** Browsers accept a relying party that is the page's host, or a domain above it. */
const isWithin = (host: string, rpId: string): boolean => host === rpId || host.endsWith(`.${rpId}`)

/** @param baseUrl the public address of the service */
export function readConsole(env: Environment, baseUrl: string): ConsoleConfig {
  const origin =
    env.PHONERACK_CONSOLE_URL === undefined ? nameable(baseUrl) : new URL(env.PHONERACK_CONSOLE_URL).origin
  const origins = [...new Set([origin, new URL(baseUrl).origin])]
  const rpId = env.PHONERACK_PASSKEY_RP_ID ?? hostOf(origin)
  const withPasskeys = origins.filter((each) => isIP(hostOf(each)) === 0 && isWithin(hostOf(each), rpId))
  return {
    origin,
    origins,
    passkeys: withPasskeys.length === 0 ? null : { rpId, origins: withPasskeys },
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
