import type { OperatorInvitation, OperatorToken } from '../operator/client.js'
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
    about:
      'Revokes a token, and the links and join tokens that it created. Names the tokens that it created.',
    words: ['ID'],
    flags: {},
    async run({ words }, operator) {
      const token = await operator().revokeOperatorToken(words[0] ?? '')
      const valid = token.created_tokens.map(({ id, name }) => `  ${id} (${name})`)
      const warning = valid.length === 0 ? [] : ['Tokens that it created are still valid:', ...valid]
      return { json: token, text: [`${token.id} (${token.name}) is revoked`, ...warning].join('\n') }
    },
  },
  {
    name: 'operator invitation list',
    about: 'Lists the links that make a person an operator, or give a new password, and were not used.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const invitations = await operator().operatorInvitations()
      return { json: { data: invitations }, text: invitationTable(invitations) }
    },
  },
  {
    name: 'operator invitation withdraw',
    about: 'Makes a link invalid.',
    words: ['ID'],
    flags: {},
    async run({ words }, operator) {
      const withdrawn = await operator().withdrawOperatorInvitation(words[0] ?? '')
      return { json: withdrawn, text: `${withdrawn.id} is withdrawn` }
    },
  },
]

const invitationTable = (invitations: readonly OperatorInvitation[]): string =>
  table(
    invitations,
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'FOR', value: ({ role }) => (role === 'reset' ? 'a new password' : 'an operator') },
      { title: 'ADDRESS', value: ({ email }) => email },
      { title: 'CREATED BY', value: ({ created_by: by }) => by },
      { title: 'CREATED', value: ({ created_at: at }) => at },
      { title: 'EXPIRES', value: ({ expires_at: at }) => at },
    ],
    'no invitations',
  )

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
