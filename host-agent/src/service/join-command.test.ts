/** `phonerack-agent join` against a server with TLS that answers like the control plane. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createHttps, type Server } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { authorityFingerprint, joinTokenText, newSecret } from '@phonerack/shared'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { keyOf, readConfigFile } from '../base/cli/config-file.js'
import { runCommand } from './command.js'
import { readConfig, variables } from './config.js'
import { loadIdentity } from './identity.js'
import { createTestCa, type TestCa } from '../testing/pki.js'
import { freePort } from '@phonerack/launcher/ports'

const hostId = 'hst_abcdefghijkl'
let ca: TestCa
let web: TestCa
let server: Server
let origin: string
let dir: string
let joins: string[]
let sent: object[]
/** Changes of the control plane's answer. */
let change: Record<string, unknown>
const root = mkdtempSync(path.join(tmpdir(), 'phonerack-join-'))

beforeAll(async () => {
  ca = await createTestCa()
  web = await createTestCa()
  const { certificatePem: cert, privateKeyPem: key } = await web.issue({ dns: 'localhost' }, 'server')
  server = createHttps({ cert, key }, (request, response) => {
    if (request.url === '/livez') {
      response.end('{}')
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { token: string; public_key_pem: string }
      joins.push(body.token)
      sent.push(body)
      void ca.issueFor(body.public_key_pem, { dns: `${hostId}.host.phonerack.internal` }).then((pem) => {
        const uri = 'spiffe://phonerack/control-plane'
        const answer = { host_id: hostId, certificate_pem: pem, ca_pem: ca.caPem, nats_jwt: 'jwt' }
        response.writeHead(201, { 'content-type': 'application/json' })
        response.end(
          JSON.stringify({ ...answer, control_plane_uri: uri, nats_url: 'nats://127.0.0.1:4222', ...change }),
        )
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const address = server.address()
  origin = `https://localhost:${address !== null && typeof address === 'object' ? address.port : 0}`
  writeFileSync(path.join(root, 'web.pem'), web.caPem)
})
afterAll(() => {
  server.close()
  rmSync(root, { recursive: true, force: true })
})
beforeEach(() => {
  dir = mkdtempSync(path.join(root, 'machine-'))
  joins = []
  sent = []
  change = {}
})

const secret = newSecret('hostJoin')
const token = () => joinTokenText({ secret, authority: authorityFingerprint(ca.caPem) })
const state = () => path.join(dir, 'state')
const config = () => path.join(dir, 'etc', 'agent.yaml')

async function join(
  flags: Record<string, string | true | null> = {},
  { env = {}, stdin = '' }: { env?: NodeJS.ProcessEnv; stdin?: string } = {},
) {
  const all: Record<string, string | true | null> = {
    server: origin,
    ca: path.join(root, 'web.pem'),
    state: state(),
    config: config(),
    listen: `127.0.0.1:${await freePort()}`,
    ...flags,
  }
  const words = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : value === true ? [`--${name}`] : [`--${name}`, value],
  )
  let [out, err] = ['', '']
  const io = { out: (text: string) => (out += text), err: (text: string) => (err += text) }
  const outcome = await runCommand(['join', ...words], { ...io, env, stdin: Readable.from([stdin]) })
  return { outcome, out, err, listen: all['listen'] }
}

it('joins with a token from standard input, and writes a private state and a configuration without secrets', async () => {
  const { outcome, out, err, listen } = await join(
    { 'token-file': '-', name: 'rack 1', country: 'DE' },
    { stdin: `${token()}\nmore` },
  )
  expect([outcome, err]).toEqual([{ exitCode: 0 }, ''])
  expect(out).toContain(`This machine is host ${hostId} of ${origin}`)
  expect(out).toContain(
    'Name: rack 1. Country: DE. To change the name or country: ctl host set hst_abcdefghijkl',
  )
  expect(out).toContain(`phonerack-agent run --config ${config()}`)
  expect(joins).toEqual([secret])
  const identityFile = path.join(state(), 'identity.json')
  expect(loadIdentity(identityFile)).toMatchObject({ hostId, caPem: ca.caPem })
  expect([statSync(state()).mode & 0o777, statSync(identityFile).mode & 0o777]).toEqual([0o700, 0o600])
  expect(readConfigFile(config(), variables)).toEqual({
    PHONERACK_DATA_DIR: state(),
    PHONERACK_CONTROL_URL: origin,
    PHONERACK_HOST_NAME: 'rack 1',
    PHONERACK_COUNTRY: 'DE',
    PHONERACK_GRPC_LISTEN: listen,
    NATS_URL: 'nats://127.0.0.1:4222',
    PHONERACK_CA_FILE: path.join(root, 'web.pem'),
  })
  expect(readFileSync(config(), 'utf8')).not.toMatch(/prj_|PRIVATE|jwt/)

  const again = await join({ token: token() })
  expect(again.outcome).toEqual({ exitCode: 1 })
  expect(again.err).toMatch(/has already joined as hst_abcdefghijkl/)
  expect(joins).toHaveLength(1)
})

it.runIf(process.getuid?.() === 0)(
  'refuses an authority that the user of the agent cannot read, and keeps the token',
  async () => {
    mkdirSync(state(), { mode: 0o700 })
    chownSync(state(), 65_534, 65_534)
    const ca = path.join(dir, 'ca.pem')
    writeFileSync(ca, web.caPem, { mode: 0o600 })
    for (const folder of [root, dir]) chmodSync(folder, 0o755)
    const refused = await join({ token: token(), ca, country: 'DE' })
    expect(refused.outcome).toEqual({ exitCode: 2 })
    expect(refused.err).toContain(`${ca} cannot be read by the user of the agent, 65534`)
    expect(joins).toEqual([])
    chmodSync(ca, 0o644)
    expect((await join({ token: token(), ca, country: 'DE' })).outcome).toEqual({ exitCode: 0 })
  },
)

it('sends no country unless the operator names a country, and prints and stores the name and country that the control plane chose', async () => {
  change = { name: 'rack 7', country: 'FR' }
  const { outcome, out } = await join({ token: token(), name: 'ignored' })
  expect(outcome).toEqual({ exitCode: 0 })
  expect(sent[0]).toMatchObject({ name: 'ignored' })
  expect(sent[0]).not.toHaveProperty('country')
  expect(out).toContain('Name: rack 7. Country: FR.')
  expect(readConfigFile(config(), variables)).toMatchObject({
    PHONERACK_HOST_NAME: 'rack 7',
    PHONERACK_COUNTRY: 'FR',
  })
})

it('joins without a port when the agent opens tunnels', async () => {
  const { outcome, out, err } = await join({ token: token(), dial: true, listen: null })
  expect([outcome, err]).toEqual([{ exitCode: 0 }, ''])
  expect(out).toContain('needs no open port')
  const settings = readConfigFile(config(), variables)
  expect(settings).toMatchObject({ PHONERACK_DIAL: 'true' })
  expect(readConfig(settings)).toMatchObject({ grpcListen: null, grpcAddress: null })
  for (const key of ['PHONERACK_GRPC_LISTEN', 'PHONERACK_GRPC_ADDRESS'])
    expect(() => readConfig({ ...settings, [key]: '192.0.2.7:7710' })).toThrow(
      `${key}: must be left out, since PHONERACK_DIAL is true`,
    )
  expect(() => readConfig({ ...settings, PHONERACK_DIAL: 'false' })).toThrow(
    'PHONERACK_GRPC_LISTEN: is missing (or set PHONERACK_DIAL to true)',
  )
})

it('runs afterwards with the configuration that it wrote, below the environment', async () => {
  const env = { PHONERACK_JOIN_TOKEN: token(), PHONERACK_HOST_NAME: 'from the environment' }
  const { outcome, listen } = await join({ run: true }, { env })
  expect(outcome).toMatchObject({
    run: { PHONERACK_GRPC_LISTEN: listen, PHONERACK_HOST_NAME: 'from the environment' },
  })
})

it('warns about a token without a fingerprint', async () => {
  writeFileSync(path.join(dir, 'token'), `${secret}\n`)
  const { outcome, err } = await join({ 'token-file': path.join(dir, 'token') })
  expect(outcome).toEqual({ exitCode: 0 })
  expect(err).toMatch(/Warning: the join token has no fingerprint/)
})

it('stores nothing when another authority signed the answer', async () => {
  change = { ca_pem: web.caPem }
  const { outcome, err } = await join({ token: token() })
  expect(outcome).toEqual({ exitCode: 1 })
  expect(err).toMatch(/is not trusted, and nothing was stored: .*and the join token names/)
  expect(readdirSync(state())).toEqual([])
  expect(() => statSync(config())).toThrow('ENOENT')
})

it('does not use up the token when the machine could not run the agent afterwards', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const address = taken.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  writeFileSync(path.join(dir, 'wrong.yaml'), 'nats_ulr: x\n')
  writeFileSync(path.join(dir, 'file'), '')
  const cases: [Record<string, string | true | null>, number, RegExp][] = [
    [{ ca: null }, 1, /authority that this machine does not trust.*pass its certificate with --ca/],
    [{ ca: path.join(dir, 'file') }, 2, /--ca: .*file contains no certificate/],
    [{ ca: '/does/not/exist' }, 2, /--ca: .*cannot be read \(ENOENT\)/],
    [{ server: `https://localhost:${await freePort()}` }, 1, /cannot be reached: nothing listens there/],
    [{ server: 'http://phones.example' }, 2, /must begin with https/],
    [{ listen: `127.0.0.1:${port}` }, 1, new RegExp(`another program uses port ${port}`)],
    [{ listen: '192.0.2.7:7710' }, 1, /192\.0\.2\.7 is not an address of this machine/],
    [{ config: path.join(dir, 'wrong.yaml') }, 2, /did you mean `nats_url`/],
    [{ config: path.join(dir, 'file', 'agent.yaml') }, 1, /choose another file with --config/],
    [{ name: 'a\u001b[31mb' }, 2, /--name must have/],
    [
      { 'nats-url': 'nats://192.0.2.9:4222' },
      2,
      /--nats-url names another machine without TLS.*--nats-insecure/,
    ],
    [{ country: 'Germany' }, 2, /--country must be/],
    [{ token: 'prj_x' }, 2, /join token is not complete/],
    [{ 'token-file': '-' }, 2, /exclude each other/],
    [{ token: null }, 2, /join token is missing/],
    [{ token: null, 'token-file': '-' }, 2, /join token is missing/],
    [{ token: null, 'token-file': '/does/not/exist' }, 2, /--token-file .* cannot be read/],
  ]
  for (const [flags, exitCode, why] of cases) {
    const { outcome, err } = await join({ token: token(), ...flags })
    expect([err, outcome]).toEqual([expect.stringMatching(why), { exitCode }])
    expect(err).not.toContain('\u001b')
  }
  expect(joins).toEqual([])
  taken.close()
})

it('reports the missing setting when the answer does not contain a broker', async () => {
  change = { nats_url: null }
  const { outcome, err } = await join({ token: token() })
  expect(outcome).toEqual({ exitCode: 1 })
  expect(err).toMatch(/does not name a NATS server: add `nats_url: …` to .*agent\.yaml/)
  expect(loadIdentity(path.join(state(), 'identity.json'))).toMatchObject({ hostId })
})

it('refuses a broker on another machine without TLS, unless the operator allows it', async () => {
  change = { nats_url: 'nats://192.0.2.9:4222', nats_ca_pem: web.caPem }
  const { outcome, err } = await join({ token: token() })
  expect(outcome).toEqual({ exitCode: 1 })
  expect(err).toMatch(/192\.0\.2\.9:4222 names another machine without TLS.*add `nats_insecure: true`/)
  expect(loadIdentity(path.join(state(), 'identity.json'))).toMatchObject({ hostId, natsCaPem: web.caPem })
  expect(() => readConfig(readConfigFile(config(), variables), keyOf)).toThrow(
    /nats_url: names another.*nats_insecure to true/,
  )

  rmSync(dir, { recursive: true })
  const allowed = await join({ token: token(), 'nats-insecure': true })
  expect([allowed.outcome, allowed.err]).toEqual([{ exitCode: 0 }, ''])
  expect(readConfig(readConfigFile(config(), variables), keyOf).natsUrl).toBe('nats://192.0.2.9:4222')
})

it.each([
  ['http://192.0.2.7', false],
  ['http://phones.example:8080', false],
  ['https://phones.example', true],
  ['http://127.0.0.1:7700', true],
  ['http://[::1]:7700', true],
])('runs with the control URL %s: %s', (controlUrl, isAllowed) => {
  const read = () =>
    readConfig(
      {
        PHONERACK_DATA_DIR: dir,
        PHONERACK_CONTROL_URL: controlUrl,
        PHONERACK_HOST_NAME: 'rack',
        PHONERACK_GRPC_LISTEN: '127.0.0.1:7710',
        NATS_URL: 'tls://nats.example',
      },
      keyOf,
    )
  if (isAllowed) expect(read().controlUrl).toBe(controlUrl)
  else expect(read).toThrow(/control_url: begins with http:\/\/ and names another machine.*use https/)
})
