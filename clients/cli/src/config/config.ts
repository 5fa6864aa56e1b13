/** The contexts of a user: an installation and a project each, with the key. */
import { UsageError } from '../usage-error.js'

export interface Context {
  base_url: string
  api_key: string
  project: string
  /** The default phone of commands. */
  phone?: string
}

export interface Config {
  version: 1
  current: string | null
  contexts: Record<string, Context>
}

export const emptyConfig = (): Config => ({ version: 1, current: null, contexts: {} })

/** @param file named in the error */
export function parseConfig(text: string, file: string): Config {
  const refused = new UsageError(
    `${file} is not a settings file of this version.`,
    'Correct the file, or delete it and run `phonerack login`.',
  )
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw refused
  }
  if (!isRecord(parsed) || parsed['version'] !== 1 || !isRecord(parsed['contexts'])) throw refused
  const contexts: Record<string, Context> = {}
  for (const [name, context] of Object.entries(parsed['contexts'])) {
    if (!isContextName(name) || !isContext(context)) throw refused
    contexts[name] = context
  }
  const current = parsed['current']
  return {
    version: 1,
    current: typeof current === 'string' && current in contexts ? current : null,
    contexts,
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isContext = (value: unknown): value is Context =>
  isRecord(value) &&
  ['base_url', 'api_key', 'project'].every((field) => typeof value[field] === 'string') &&
  ['string', 'undefined'].includes(typeof value['phone'])

/** Letters, digits, `_`, `.` and `-`. */
export const isContextName = (name: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name) && name !== 'constructor'

export function contextName(name: string): string {
  if (isContextName(name)) return name
  throw new UsageError(
    'A context name has 1 to 64 letters, digits, `_`, `.` or `-`, and starts with a letter or digit.',
  )
}

export const withContext = (config: Config, name: string, context: Context): Config => ({
  version: 1,
  current: name,
  contexts: { ...config.contexts, [name]: context },
})

/** Removes a context. If only one context remains, it becomes the current context. */
export function withoutContext(config: Config, name: string): Config {
  const contexts = Object.fromEntries(Object.entries(config.contexts).filter(([other]) => other !== name))
  const left = Object.keys(contexts)
  const current = config.current !== name ? config.current : left.length === 1 ? (left[0] ?? null) : null
  return { version: 1, current, contexts }
}
