/** Secrets for people and agents: a fixed prefix plus 32 random bytes, base64url. Only hashes are stored. */
import { createHash, randomBytes } from 'node:crypto'

export const secretPrefixes = {
  apiKey: 'prk_',
  setup: 'prs_',
  /** A one-time link that confirms a terminal. */
  setupLink: 'prc_',
  live: 'prl_',
  upload: 'pru_',
  hostJoin: 'prj_',
  operator: 'pro_',
  /** A one-time link that invites a person to the console. */
  invitation: 'pri_',
  /** A token of a connector for `/mcp`, and the code that the connector exchanges for its first tokens. */
  connectorAccess: 'pra_',
  connectorRefresh: 'prf_',
  connectorCode: 'prg_',
} as const

export type SecretKind = keyof typeof secretPrefixes

/** A new secret: prefix plus 43 characters. */
export const newSecret = (kind: SecretKind): string =>
  secretPrefixes[kind] + randomBytes(32).toString('base64url')

export const isSecret = (kind: SecretKind, value: string): boolean =>
  value.length === 47 && value.startsWith(secretPrefixes[kind]) && /^[A-Za-z0-9_-]{43}$/.test(value.slice(4))

/** The SHA-256 in hex, as the database stores it. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** Replaces every secret in a text, for logs and activity. */
export const redactSecrets = (text: string): string =>
  text
    .replace(/\bpr[ksclujoiafg]_[A-Za-z0-9_-]{20,}/g, (found) => `${found.slice(0, 4)}[redacted]`)
    .replace(/\bwhsec_[A-Za-z0-9+/=]{20,}/g, 'whsec_[redacted]')
