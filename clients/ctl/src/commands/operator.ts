import type { OperatorToken } from '@phonerack/launcher/operator'
import type { Command } from '../commands.js'
import { fields, table } from '../table.js'
import { oneOf } from '../values.js'
import { expiries } from './key.js'

export const operatorCommands: readonly Command[] = [
  {
    name: 'operator token create',
    about: 'Creates an operator token and shows it once. --expires: 30d, 90d (default), 1y or never.',
    words: [],
    flags: { name: 'N', expires: expiries.join('|') },
    required: ['name'],
    async run({ flags }, operator) {
      const { name, expires } = flags
      const token = await operator().createOperatorToken({
        name: String(name),
        ...(expires === undefined ? {} : { expires: oneOf('expires', expires, expiries) }),
      })
      const text = fields([
        ['Token', token.token],
        ['ID', token.id],
        ['Name', token.name],
        ['Expires', token.expires_at ?? 'never'],
      ])
      return { json: token, text: `${text}\n\nStore it now: it cannot be shown again.` }
    },
  },
  {
    name: 'operator token list',
    about: 'Lists the operator tokens. Secrets are not stored, so they are not shown.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const tokens = await operator().operatorTokens()
      return { json: { data: tokens }, text: tokenTable(tokens) }
    },
  },
  {
    name: 'operator token revoke',
    about: 'Revokes a token with immediate effect.',
    words: ['ID'],
    flags: {},
    async run({ words }, operator) {
      const token = await operator().revokeOperatorToken(words[0] ?? '')
      return { json: token, text: `${token.id} (${token.name}) is revoked` }
    },
  },
]

const tokenTable = (tokens: readonly OperatorToken[]): string =>
  table(
    tokens,
    [
      { title: 'ID', value: (token) => token.id },
      { title: 'NAME', value: (token) => token.name },
      { title: 'CREATED', value: (token) => token.created_at },
      { title: 'LAST USED', value: (token) => token.last_used_at },
      { title: 'EXPIRES', value: (token) => token.expires_at ?? 'never' },
      { title: 'REVOKED', value: (token) => token.revoked_at },
    ],
    'no tokens',
  )
