/** Joining when the control plane is late, faulty, or refuses; and the stored identity. */
import { createPublicKey } from 'node:crypto'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import {
  authorityFingerprint,
  createLogger,
  joinTokenText,
  newSecret,
  Progress,
  protocol,
} from '@phonerack/shared'
import { fromPublic, fromSeed } from 'nkeys.js'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { loadIdentity, natsCreds, saveIdentity } from './identity.js'
import { join, joinOnce, JoinRefused } from './join.js'
import { createTestCa, type TestCa } from '../testing/pki.js'

const log = createLogger('test')
log.level = 'silent'
let server: Server | null = null
let ca: TestCa
beforeAll(async () => {
  ca = await createTestCa()
})
afterEach(() => server?.close())

interface Answer {
  status: number
  body: unknown
  version?: string
}

interface Asked {
  token: string
  public_key_pem: string
  nats_public_key: string
  version: string | string[] | undefined
  rejoin: string | string[] | undefined
}

/**
 * A control plane that returns `answers` in order, and repeats the last answer. A function makes an answer
 * for the request.
 */
async function controlUrl(
  answers: (Answer | ((asked: Asked) => Promise<Answer>))[],
  asked: Asked[],
): Promise<string> {
  let count = 0
  const made = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked
      asked.push({
        ...body,
        version: request.headers[protocol.header],
        rejoin: request.headers[protocol.rejoinHeader],
      })
      const next = answers[Math.min(count++, answers.length - 1)]
      void (typeof next === 'function' ? next(body) : Promise.resolve(next)).then((answer) => {
        response.writeHead(answer?.status ?? 500, {
          'content-type': 'application/json',
          ...(answer?.version === undefined ? {} : { [protocol.header]: answer.version }),
        })
        response.end(JSON.stringify(answer?.body))
      })
    })
  })
  server = made
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve))
  const address = made.address()
  return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`
}

const good = {
  host_id: 'hst_abcdefghijkl',
  nats_jwt: 'jwt',
  nats_url: 'tls://192.0.2.1:4222',
  control_plane_uri: 'spiffe://phonerack/control-plane',
  join_id: 'join_abcdefghijkl',
}
const named = { dns: `${good.host_id}.host.phonerack.internal` }

/** The answer of a control plane, with the fields of `change`. */
const admitting =
  (version?: string, change: Record<string, string> = {}) =>
  async ({ public_key_pem: key }: Asked): Promise<Answer> => {
    const body = { ...good, certificate_pem: await ca.issueFor(key, named), ca_pem: ca.caPem, ...change }
    return { status: 201, body, ...(version === undefined ? {} : { version }) }
  }

const secret = newSecret('hostJoin')
const request = (url: string, authority: string | null = authorityFingerprint(ca.caPem)) => ({
  controlUrl: url,
  token: joinTokenText({ secret, authority }),
  name: 'rack',
  country: 'US',
  roots: [],
})

describe('joining', () => {
  it('retries until the control plane answers, with keys that match the request', async () => {
    const asked: Asked[] = []
    const url = await controlUrl([{ status: 503, body: {} }, admitting()], asked)
    const identity = await join(request(url), log, Progress.for(10_000))
    expect(asked.length).toBe(2)
    const sent = asked[1]
    expect([identity.hostId, identity.joinId]).toEqual([good.host_id, good.join_id])
    expect(sent?.rejoin).toBe('yes')
    expect(createPublicKey(identity.privateKeyPem).export({ type: 'spki', format: 'pem' })).toBe(
      sent?.public_key_pem,
    )
    expect(createPublicKey(sent?.public_key_pem ?? '').asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
    // The seed signs for the public key that was sent to the broker.
    const data = Buffer.from('nonce')
    const signature = fromSeed(Buffer.from(identity.natsSeed)).sign(data)
    expect(fromPublic(sent?.nats_public_key ?? '').verify(data, signature)).toBe(true)
    expect(JSON.stringify(asked)).not.toContain('PRIVATE')
    expect(sent?.token).toBe(secret)
    expect(identity.caPem).toBe(ca.caPem)
    expect(natsCreds(identity)).toContain(`\njwt\n`)
  })

  it('ends immediately when the token is refused', async () => {
    const asked: Asked[] = []
    const url = await controlUrl(
      [{ status: 401, body: { error: { code: 'unauthorized', message: 'The token was used.' } } }],
      asked,
    )
    await expect(join(request(url), log, Progress.for(5000))).rejects.toThrow(JoinRefused)
    expect(asked.length).toBe(1)
  })

  it('sends its protocol version, and does not join an incompatible control plane', async () => {
    for (const [version, isJoined] of [
      [String(protocol.version + 1), true],
      [String(protocol.version + 2), false],
      ['none', false],
    ] as const) {
      const asked: Asked[] = []
      const url = await controlUrl([admitting(version)], asked)
      const joined = join(request(url), log, Progress.for(5000))
      if (isJoined) expect((await joined).hostId).toBe(good.host_id)
      else await expect(joined).rejects.toThrow(/\.\/scripts\/up/)
      expect(asked.map((each) => each.version)).toEqual([String(protocol.version)])
      server?.close()
    }
  })

  it('accepts a token without a fingerprint, and takes the address of the broker from the answer', async () => {
    const asked: Asked[] = []
    const { identity, natsUrl } = await joinOnce(
      request(await controlUrl([admitting()], asked), null),
      Progress.for(10_000),
    )
    expect([identity.hostId, natsUrl, asked[0]?.token]).toEqual([good.host_id, good.nats_url, secret])
  })

  it('refuses an answer of another authority, and an answer for another host', async () => {
    const other = await createTestCa()
    const own = authorityFingerprint(ca.caPem)
    const strange = await ca.issue(named, 'server')
    const wrong: [Record<string, string>, RegExp, string | null][] = [
      [{ ca_pem: other.caPem }, /fingerprint .{43}, and the join token names/, own],
      [{}, /fingerprint .{43}, and the join token names/, authorityFingerprint(other.caPem)],
      [{ ca_pem: `${ca.caPem}\n${other.caPem}` }, /not one certificate/, own],
      [{ ca_pem: 'none' }, /not one certificate/, own],
      [{ ca_pem: other.caPem }, /did not sign/, null],
      [{ certificate_pem: strange.certificatePem }, /for the key of another host/, own],
      [{ host_id: 'hst_bbbbbbbbbbbb' }, /for another host/, own],
    ]
    for (const [change, why, authority] of wrong) {
      const url = await controlUrl([admitting(undefined, change)], [])
      const joining = join(request(url, authority), log, Progress.for(10_000))
      await expect(joining, String(why)).rejects.toThrow(why)
      await expect(joining).rejects.toThrow(JoinRefused)
      server?.close()
    }
  })

  it('sends no text that is not a join token', async () => {
    const asked: Asked[] = []
    const url = await controlUrl([admitting()], asked)
    const joining = joinOnce({ ...request(url), token: newSecret('operator') }, Progress.for(5000))
    await expect(joining).rejects.toThrow(/not a join token/)
    expect(asked).toEqual([])
  })

  it('sends its token unencrypted to this machine only', async () => {
    for (const url of ['http://192.0.2.1:7700', 'http://phones.example.org', 'http://[2001:db8::1]:7700'])
      await expect(join(request(url), log, Progress.for(600))).rejects.toThrow(/not encrypted: use an https/)
    for (const url of ['http://[::1]:9', 'http://localhost:9', 'https://127.0.0.1:9'])
      await expect(join(request(url), log, Progress.for(50))).rejects.toThrow(/too long/)
  })

  it('ends at its deadline when there is no answer', async () => {
    await expect(join(request('http://127.0.0.1:9'), log, Progress.for(600))).rejects.toThrow(/too long/)
  })
})

describe('the identity', () => {
  it('is stored for the owner only, and can be read back', () => {
    const dir = mkdtempSync(joinPath(tmpdir(), 'phonerack-identity-'))
    try {
      const path = joinPath(dir, 'identity.json')
      expect(loadIdentity(path)).toBeNull()
      const identity = {
        hostId: good.host_id,
        privateKeyPem: 'k',
        certificatePem: 'c',
        caPem: 'a',
        controlPlaneUri: 'u',
        natsJwt: 'j',
        natsSeed: 's',
      }
      // The identity of an agent that joined before decisions 0202 and 0220.
      writeFileSync(path, JSON.stringify(identity))
      expect(loadIdentity(path)).toEqual({ ...identity, joinId: null, natsCaPem: null })
      rmSync(path)
      const rejoined = { ...identity, joinId: good.join_id, natsCaPem: 'p' }
      saveIdentity(path, rejoined)
      expect(loadIdentity(path)).toEqual(rejoined)
      expect(statSync(path).mode & 0o777).toBe(0o600)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
})
