/** Chooses the service and the key of a command. A stored key is sent only to the origin that it was stored for. */
import { SignInError, UsageError } from '../usage-error.js'
import type { Io } from '../io.js'
import type { Config } from './config.js'

export interface Access {
  baseUrl: string
  apiKey: string
  /** Null: the base URL and the key come from the environment. */
  context: string | null
  keyFrom: 'environment' | 'context'
}

/** Uses `--context`, then the environment, then the current context. */
export function accessOf(config: Config, env: Io['env'], flag: string | undefined): Access {
  if (flag !== undefined) return ofContext(config, flag)
  const apiKey = env['PHONERACK_API_KEY'] || undefined
  const baseUrl = env['PHONERACK_BASE_URL'] || undefined
  if (baseUrl !== undefined) requireOrigin(baseUrl)
  const current = currentOf(config, env)
  const names = Object.keys(config.contexts)
  if (apiKey !== undefined) {
    // With several contexts, the key could reach the wrong service.
    const place =
      baseUrl ?? (current === null || names.length !== 1 ? undefined : config.contexts[current]?.base_url)
    if (place === undefined)
      throw new UsageError(
        'PHONERACK_API_KEY is set, but the base URL is unknown.',
        'Set PHONERACK_BASE_URL.',
      )
    return { baseUrl: place, apiKey, context: null, keyFrom: 'environment' }
  }
  if (baseUrl !== undefined) {
    const origin = originOf(baseUrl)
    const ordered = current === null ? names : [current, ...names]
    const found = ordered.find((name) => originOf(config.contexts[name]?.base_url ?? '') === origin)
    if (found !== undefined && origin !== null) return ofContext(config, found)
    throw new SignInError(
      `No key is stored for PHONERACK_BASE_URL, which is ${baseUrl}.`,
      'Run `phonerack login`, or set PHONERACK_API_KEY.',
    )
  }
  if (current !== null) return ofContext(config, current)
  throw new SignInError(
    'You are not signed in.',
    'Run `phonerack login --base-url <url>`, or set PHONERACK_API_KEY and PHONERACK_BASE_URL.',
  )
}

/** The context of `PHONERACK_CONTEXT`, or the context of the last `login` or `context use`. */
const currentOf = (config: Config, env: Io['env']): string | null =>
  (env['PHONERACK_CONTEXT'] || null) ?? config.current

function ofContext({ contexts }: Config, name: string): Access {
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined
  if (context !== undefined)
    return { baseUrl: context.base_url, apiKey: context.api_key, context: name, keyFrom: 'context' }
  const known = Object.keys(contexts)
  throw new SignInError(
    `There is no context \`${name}\`.`,
    known.length === 0
      ? `Run \`phonerack login --context ${name} --base-url <url>\`.`
      : `There are: ${known.join(', ')}. Or run \`phonerack login --context ${name} --base-url <url>\`.`,
  )
}

/** Null: the text is not an http or https address. */
export function originOf(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { protocol, origin } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' ? origin : null
}

/** @throws UsageError if it is not an address */
export function requireOrigin(url: string): string {
  const origin = originOf(url)
  if (origin !== null) return origin
  throw new UsageError(`\`${url}\` is not an address.`, 'Give an address such as https://phones.example.')
}
