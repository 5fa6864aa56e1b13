import fc from 'fast-check'
import { expect, it } from 'vitest'
import { joinTokenText, parseJoinToken } from './join-token.js'
import { newSecret, redactSecrets } from './secrets.js'

const characters = fc.stringMatching(/^[A-Za-z0-9_-]{43}$/)

it('reads back what it writes, with and without a fingerprint', () => {
  fc.assert(
    fc.property(characters, fc.option(characters), (random, authority) => {
      const token = { secret: `prj_${random}`, authority }
      expect(parseJoinToken(joinTokenText(token))).toEqual(token)
    }),
  )
})

it('refuses every other text', () => {
  const secret = newSecret('hostJoin')
  const fingerprint = 'f'.repeat(43)
  for (const text of [
    '',
    'prj_x',
    newSecret('operator'),
    `${secret}.`,
    `${secret}.${fingerprint}x`,
    `${secret}.${fingerprint}.${fingerprint}`,
    `${secret} .${fingerprint}`,
    `.${fingerprint}`,
  ])
    expect(parseJoinToken(text), text).toBeNull()
})

it('is redacted in logs like any secret', () => {
  const secret = newSecret('hostJoin')
  expect(redactSecrets(joinTokenText({ secret, authority: 'f'.repeat(43) }))).not.toContain(secret.slice(4))
})
