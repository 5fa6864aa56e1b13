// A new account has a way to sign in that was checked before the account existed, else the link stays valid.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { newId } from '@phonerack/shared'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { consoleClient, operatorLink, testPassword } from '../../../testing/console-client.js'
import { useWorld, type Plane } from '../../../testing/world.js'

/** An authenticator in software: an ES256 key and attestation `none` (WebAuthn, sections 6.1 and 6.5.4). */
interface Answering {
  origin: string
  /** Whether the device checked the person by PIN, fingerprint or face. */
  isVerified?: boolean
}

const sha256 = (data: string): Buffer => createHash('sha256').update(data).digest()
const cborBytes = (data: Buffer): Buffer => {
  const head = data.length < 256 ? Buffer.from([0x58, data.length]) : Buffer.from([0x59, 0, 0])
  if (data.length >= 256) head.writeUInt16BE(data.length, 1)
  return Buffer.concat([head, data])
}
const cborText = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])

/** The answer of `navigator.credentials.create` to the options, as JSON. */
function createCredential(
  options: { challenge: string; rp: { id?: string } },
  { origin, isVerified = true }: Answering,
) {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
    format: 'jwk',
  })
  const id = randomBytes(32)
  // Map of five: kty 2, alg -7, crv 1, x, y.
  const key = Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    cborBytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y, 'base64url')),
  ])
  const length = Buffer.from([0, id.length])
  // User present, attested data, and user verified.
  const flags = Buffer.from([0x41 | (isVerified ? 0x04 : 0)])
  const data = Buffer.concat([
    sha256(options.rp.id ?? ''),
    flags,
    Buffer.alloc(4),
    Buffer.alloc(16),
    length,
    id,
    key,
  ])
  const attestation = Buffer.concat([
    ...[Buffer.from([0xa3]), cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0])],
    ...[cborText('authData'), cborBytes(data)],
  ])
  const client = JSON.stringify({ type: 'webauthn.create', challenge: options.challenge, origin })
  return {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    response: {
      clientDataJSON: Buffer.from(client).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    },
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
  }
}

const world = useWorld()
let plane: Plane
let origin: string
let token: string
let user: { name: string; email: string }
beforeAll(async () => {
  plane = await world.start()
  origin = plane.config.console.passkeys?.origins[0] ?? ''
})
beforeEach(async () => {
  token = await operatorLink(plane)
  user = { name: 'Petra', email: `${newId('user')}@example.com` }
})

const ask = (path: string, body: object, client = consoleClient(plane)) =>
  client.ask('POST', `/invitations/${path}`, { body })
async function begin(of = token) {
  const { status, body } = await ask('passkey', { token: of, user })
  expect(status).toBe(200)
  return body as { handle: string; options: { challenge: string; rp: { id?: string } } }
}
const accept = (passkey: object, client = consoleClient(plane)) =>
  ask('accept', { token, user: { ...user, passkey } }, client)
const accounts = () => plane.app.core.db.user.count({ where: { email: user.email } })
const isValid = async () => (await ask('look', { token })).status === 200

it('is created with a passkey that the browser made for its link', async () => {
  const { handle, options } = await begin()
  const client = consoleClient(plane)
  const answer = await accept({ handle, response: createCredential(options, { origin }) }, client)
  expect(answer.status).toBe(200)
  expect((await client.ask('GET', '/me/passkeys')).body['data']).toMatchObject([{ name: 'Petra' }])
  expect((await client.ask('GET', '/me/accounts')).body).toMatchObject({ data: [], has_password: false })
})

it.each([
  ['without a way to sign in', {}],
  ['with two', { password: testPassword, passkey: { handle: 'x', response: { id: 'x' } } }],
])('is not created %s', async (_how, ways) => {
  const { status, body } = await ask('accept', { token, user: { ...user, ...ways } })
  expect([status, body['error']]).toMatchObject([400, { code: 'validation_failed' }])
  expect([await accounts(), await isValid()]).toEqual([0, true])
})

it.each<[string, (options: { challenge: string; rp: { id?: string } }) => object]>([
  [
    'from a device without a check of the person',
    (options) => createCredential(options, { origin, isVerified: false }),
  ],
  ['from another page', (options) => createCredential(options, { origin: 'https://evil.example' })],
  [
    'from another site',
    (options) => createCredential({ ...options, rp: { id: 'evil.example' } }, { origin }),
  ],
  ['for another question', (options) => createCredential({ ...options, challenge: 'AAAA' }, { origin })],
  ['without an answer', () => ({ id: 'x' })],
])('is not created with a passkey %s', async (_how, make) => {
  const { handle, options } = await begin()
  const { status, body } = await accept({ handle, response: make(options) })
  expect([status, body['error']]).toMatchObject([400, { code: 'invalid_request' }])
  expect([await accounts(), await isValid()]).toEqual([0, true])
})

it('is not created with the answer for another link, or with one a second time', async () => {
  const other = await begin(await operatorLink(plane))
  expect(
    (await accept({ handle: other.handle, response: createCredential(other.options, { origin }) })).status,
  ).toBe(404)
  expect([await accounts(), await isValid()]).toEqual([0, true])
  const { handle, options } = await begin()
  const passkey = { handle, response: createCredential(options, { origin }) }
  const statuses = await Promise.all([accept(passkey), accept(passkey)])
  expect(statuses.map(({ status }) => status).sort()).toEqual([200, 404])
})

it('is kept by its password, and a guessed link begins no passkey', async () => {
  const client = consoleClient(plane)
  expect((await ask('accept', { token, user: { ...user, password: testPassword } }, client)).status).toBe(200)
  expect((await client.ask('GET', '/me/accounts')).body).toMatchObject({ has_password: true })
  expect((await ask('passkey', { token, user })).status).toBe(404)
})
