import type { NewKey } from '../operator/client.js'
import type { Command, Input } from '../commands.js'
import { fields, table } from '../table.js'
import { UsageError } from '../usage-error.js'
import { oneOf } from '../values.js'

const presets = ['agent', 'admin', 'read-only'] as const
const profiles = ['full', 'guarded', 'read-only'] as const
export const expiries = ['30d', '90d', '1y', 'never'] as const

export const keyCommands: readonly Command[] = [
  {
    name: 'key list',
    about:
      'Lists the API keys of one project or of all projects. Secrets are not stored, so they are not shown.',
    words: [],
    flags: { project: 'ID' },
    async run({ flags }, operator) {
      const client = operator()
      const { project } = flags
      const ids = typeof project === 'string' ? [project] : (await client.projects()).map(({ id }) => id)
      const keys = (await Promise.all(ids.map((id) => client.keys(id)))).flat()
      const text = table(
        keys,
        [
          { title: 'ID', value: (key) => key.id },
          { title: 'NAME', value: (key) => key.name },
          { title: 'PROJECT', value: (key) => key.project },
          { title: 'PRESET', value: (key) => key.preset },
          { title: 'PROFILE', value: (key) => key.profile },
          { title: 'PHONES', value: (key) => key.phones.join(',') || 'all' },
          { title: 'EXPIRES', value: (key) => key.expires_at ?? 'never' },
          { title: 'REVOKED', value: (key) => key.revoked_at },
        ],
        'no keys',
      )
      return { json: { data: keys }, text }
    },
  },
  {
    name: 'key create',
    about:
      'Creates an API key and shows it once. --preset: agent (default), admin or read-only. --profile: full (default), guarded or read-only. --expires: 30d, 90d (default), 1y or never.',
    words: [],
    flags: {
      project: 'ID',
      preset: presets.join('|'),
      profile: profiles.join('|'),
      phones: 'ph_a,ph_b',
      expires: expiries.join('|'),
      name: 'N',
    },
    required: ['project'],
    async run({ flags }, operator) {
      const key = await operator().createKey(newKeyFrom(flags))
      const text = fields([
        ['Key', key.key],
        ['ID', key.id],
        ['Preset', key.preset],
        ['Profile', key.profile],
        ['Expires', key.expires_at ?? 'never'],
      ])
      return { json: key, text: `${text}\n\nStore it now: it cannot be shown again.` }
    },
  },
  {
    name: 'key revoke',
    about: 'Revokes a key with immediate effect.',
    words: ['ID'],
    flags: {},
    async run({ words }, operator) {
      const answer = await operator().revokeKey(words[0] ?? '')
      return { json: answer, text: `${words[0] ?? ''} is revoked` }
    },
  },
]

/** @throws UsageError */
export function newKeyFrom(flags: Input['flags']): NewKey {
  const { project, preset, profile, phones, expires, name } = flags
  if (typeof project !== 'string') throw new UsageError('--project ID is required')
  const key: NewKey = { project, preset: preset === undefined ? 'agent' : oneOf('preset', preset, presets) }
  if (profile !== undefined) key.profile = oneOf('profile', profile, profiles)
  if (typeof phones === 'string') key.phones = phoneIds(phones)
  if (expires !== undefined) key.expires = oneOf('expires', expires, expiries)
  if (typeof name === 'string') key.name = name
  return key
}

function phoneIds(text: string): string[] {
  const ids = text.split(',').map((id) => id.trim())
  const wrong = ids.find((id) => !/^ph_[a-z2-7]{12}$/.test(id))
  if (wrong !== undefined)
    throw new UsageError(
      `--phones must be a comma-separated list of phone IDs; ${wrong || 'an empty value'} is not a phone ID`,
    )
  return ids
}
