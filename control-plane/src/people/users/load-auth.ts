/**
 * Loads better-auth at the first sign-in or session. Its modules are a third of all modules that the program would
 * load, and a replica that serves only `/v1` needs none of them.
 */
import { type ConsoleConfig } from '../../base/config/console.js'
import { type Core } from '../../base/core/core.js'
import type { Auth } from './auth.js'

/** @param secret the secret that signs cookies */
export function loadAuth(
  core: Pick<Core, 'db' | 'log'>,
  config: ConsoleConfig,
  secret: Buffer,
): () => Promise<Auth> {
  let loaded: Promise<Auth> | null = null
  return () => (loaded ??= import('./auth.js').then(({ createAuth }) => createAuth(core, config, secret)))
}

/** Returns a salted scrypt hash. */
export async function hashPassword(password: string): Promise<string> {
  const { hashPassword: hash } = await import('better-auth/crypto')
  return hash(password)
}
