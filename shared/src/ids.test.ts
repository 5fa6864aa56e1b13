import { expect, test } from 'vitest'
import { idPrefixes, isId, newId, type IdKind } from './ids.js'
import { hashSecret, isSecret, newSecret, redactSecrets, secretPrefixes, type SecretKind } from './secrets.js'

test.each(Object.keys(idPrefixes) as IdKind[])('a new %s ID has its form [3.1]', (kind) => {
  const id = newId(kind)
  expect(id).toMatch(new RegExp(`^${idPrefixes[kind]}[a-z2-7]{12}$`))
  expect(isId(kind, id)).toBe(true)
  expect(isId(kind, `${id}a`)).toBe(false)
  expect(isId(kind, id.toUpperCase())).toBe(false)
})

test('no two of ten thousand IDs are alike', () => {
  expect(new Set(Array.from({ length: 10_000 }, () => newId('phone'))).size).toBe(10_000)
})

test.each(Object.keys(secretPrefixes) as SecretKind[])(
  'a new %s secret has its form and is redacted',
  (kind) => {
    const secret = newSecret(kind)
    expect(isSecret(kind, secret)).toBe(true)
    expect(secret).toHaveLength(47)
    expect(isSecret(kind, secret.slice(0, -1))).toBe(false)
    expect(hashSecret(secret)).toMatch(/^[0-9a-f]{64}$/)
    const line = redactSecrets(`Authorization: Bearer ${secret}, again ${secret}.`)
    expect(line).not.toContain(secret.slice(4))
    expect(line).toContain('[redacted]')
  },
)

test('prefixes of secrets and of IDs are distinct', () => {
  const all = [...Object.values(idPrefixes), ...Object.values(secretPrefixes)]
  expect(new Set(all).size).toBe(all.length)
})
