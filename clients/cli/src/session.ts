/** The connection of a command, opened on first use: settings, key, and the default phone. */
import { createRequire } from 'node:module'
import { Phonerack } from '@phonerack/sdk'
import { accessOf, type Access } from './config/access.js'
import { emptyConfig, type Config } from './config/config.js'
import { configFile } from './config/place.js'
import { readConfig, tighten, writeConfig } from './config/store.js'
import type { Io } from './io.js'
import { plain } from '@phonerack/shared/plain'
import { UsageError } from './usage-error.js'

export const { version } = createRequire(import.meta.url)('../package.json') as { version: string }
export const userAgent = `phonerack-cli/${version} node/${process.versions.node}`

export class Session {
  /** The snapshot ID of the last read screen, for `--ref` in the shell. */
  lastSnapshot: string | null = null

  private constructor(
    readonly access: Access,
    readonly client: Phonerack,
    /** The phone of commands without a phone. */
    readonly defaultPhone: string | null,
    /** Headers of each request, without the key. */
    readonly headers: Readonly<Record<string, string>>,
  ) {}

  static async open(io: Io, flags: { context?: string; profile?: string }): Promise<Session> {
    const headers = {
      'User-Agent': userAgent,
      // An empty environment variable counts as not set. An empty option is an error, which must not lift the limit.
      ...profileHeader(flags.profile ?? (io.env['PHONERACK_PROFILE'] || undefined)),
    }
    const config = await settingsFor(io, flags.context)
    const access = accessOf(config, io.env, flags.context)
    const client = clientOf(access, headers)
    const stored = access.context === null ? undefined : config.contexts[access.context]?.phone
    return new Session(access, client, (io.env['PHONERACK_PHONE'] || stored) ?? null, headers)
  }

  /** Returns the session of the shell of one phone. */
  withPhone(id: string): Session {
    return new Session(this.access, this.client, id, this.headers)
  }
}

export async function settings(io: Io): Promise<Config> {
  const file = configFile(io)
  if (await tighten(file, io.platform))
    await io.err(`warning: ${file} was readable for others; it is now readable only for you.\n`)
  return readConfig(file)
}

/** Skips the settings file if the environment has the base URL and the key. */
async function settingsFor(io: Io, contextFlag: string | undefined): Promise<Config> {
  const isGiven = Boolean(io.env['PHONERACK_API_KEY']) && Boolean(io.env['PHONERACK_BASE_URL'])
  return isGiven && contextFlag === undefined ? emptyConfig() : settings(io)
}

export const saveSettings = (io: Io, config: Config): Promise<void> => writeConfig(configFile(io), config)

/** An unknown profile is refused, because a misspelt one must not grant more rights. */
export const profiles = ['full', 'guarded', 'read-only'] as const

/** The header that limits the key to a profile. @throws UsageError for another profile */
function profileHeader(profile: string | undefined): Record<string, string> {
  if (profile === undefined) return {}
  if (!profiles.some((known) => known === profile))
    throw new UsageError(
      `There is no profile \`${plain(profile)}\`.`,
      `--profile and PHONERACK_PROFILE take ${profiles.join(', ')}.`,
    )
  return { 'Phonerack-Profile': profile }
}

/** @throws UsageError for a base URL that the SDK refuses */
export function clientOf(
  { baseUrl, apiKey }: Pick<Access, 'baseUrl' | 'apiKey'>,
  headers: Readonly<Record<string, string>> = { 'User-Agent': userAgent },
): Phonerack {
  try {
    return new Phonerack({ baseUrl, apiKey, headers })
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message)
    throw error
  }
}
