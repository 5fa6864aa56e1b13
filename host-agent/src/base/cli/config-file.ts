/**
 * The configuration file, `/etc/phonerack/agent.yaml`: the agent's variables in lower case, without
 * `PHONERACK_`. Comments survive a rewrite.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseDocument, type Document } from 'yaml'
import { z } from 'zod'
import { nearest } from './nearest.js'
import { UsageError } from './usage-error.js'

/** `PHONERACK_GRPC_LISTEN` is `grpc_listen`, and `NATS_URL` is `nats_url`. */
export const keyOf = (variable: string): string => variable.replace(/^PHONERACK_/, '').toLowerCase()

/** All users can read the file, so it must not contain a secret. */
const excluded = 'PHONERACK_JOIN_TOKEN'

const valueSchema = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.union([z.string(), z.number()])),
])

const settingsSchema = z.map(z.string(), z.unknown()).nullable()

/**
 * Returns the file's settings as variables.
 * @param variables the known variables
 * @throws UsageError that names the file and the key
 */
export function readConfigFile(file: string, variables: readonly string[]): Record<string, string> {
  return settingsOf(file, open(file), variables)
}

/** Sets keys in the file, which is created with mode 0644; null removes a key. @throws UsageError as above */
export function writeConfigFile(
  file: string,
  settings: Readonly<Record<string, string | null>>,
  variables: readonly string[],
): void {
  const exists = existsSync(file)
  const document = exists ? open(file) : parseDocument('')
  if (exists) settingsOf(file, document, variables)
  else document.commentBefore = ' Configuration of phonerack-agent. See docs/settings.md.'
  for (const [variable, value] of Object.entries(settings)) {
    if (value === null) document.delete(keyOf(variable))
    else document.set(keyOf(variable), value)
  }
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 })
  const beside = `${file}.new`
  writeFileSync(beside, document.toString(), { mode: 0o644 })
  // The mode does not depend on the umask, since the agent may run as another user.
  chmodSync(beside, 0o644)
  renameSync(beside, file)
}

function open(file: string): Document {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new UsageError(`${file} cannot be read (${why})`, { cause: error })
  }
  const document = parseDocument(text)
  const [problem] = document.errors
  if (problem) throw new UsageError(`${file} is not valid YAML: ${problem.message.split('\n', 1)[0] ?? ''}`)
  return document
}

function settingsOf(file: string, document: Document, variables: readonly string[]): Record<string, string> {
  const parsed = settingsSchema.safeParse(document.toJS({ maxAliasCount: 0, mapAsMap: true }))
  if (!parsed.success) throw new UsageError(`${file} must contain keys with values, such as \`nats_url: …\``)
  const byKey = new Map(variables.map((variable) => [keyOf(variable), variable]))
  const found: Record<string, string> = {}
  for (const [key, value] of parsed.data ?? []) {
    const variable = byKey.get(key)
    if (variable === undefined) {
      const known = nearest(
        keyOf(key),
        [...byKey.keys()].filter((each) => each !== keyOf(excluded)),
      )
      throw new UsageError(
        `${file}: \`${key}\` is not a setting${known === null ? '' : `; did you mean \`${known}\`?`}`,
      )
    }
    if (variable === excluded)
      throw new UsageError(
        `${file}: \`${key}\` does not belong in the configuration; pass the token to \`phonerack-agent join --token-file\``,
      )
    const text = valueSchema.safeParse(value)
    if (!text.success)
      throw new UsageError(`${file}: \`${key}\` must be a text, a number, true, false or a list`)
    if (text.data !== null)
      found[variable] = Array.isArray(text.data) ? text.data.join(',') : String(text.data)
  }
  return found
}
