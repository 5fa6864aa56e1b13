/** The server of the documentation, with a small site in a folder. e2e/src/docs-site.long.test.ts tests the real site. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { createLogger } from '@phonerack/shared'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addFoundations, createFastify } from '../server/server.js'
import { errorOf } from '../../testing/api.js'
import { addDocs } from './docs.js'

const script = 'console.log("the same text, again and again")'.repeat(20)
const site: Readonly<Record<string, string | Buffer>> = {
  'index.html': '<title>Start</title>',
  '404.html': '<title>Missing</title>',
  'guide/first.html': '<title>First</title>',
  'concepts/index.html': '<title>Concepts</title>',
  'assets/app.1a2b3c.js': script,
  'assets/app.1a2b3c.js.gz': gzipSync(script),
  'icon.svg': '<svg/>',
  'guide/first.md': 'curl http://127.0.0.1:7700/v1/account',
  'llms-full.txt': 'curl http://127.0.0.1:7700/v1/phones',
  'packages/phonerack-sdk-0.1.0.tgz': 'packed',
  'packages/SHA256SUMS': 'sums',
}

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-docs-'))
let app: FastifyInstance
beforeAll(async () => {
  writeFileSync(path.join(dir, 'secret.txt'), 'outside')
  for (const [name, content] of Object.entries(site)) {
    const file = path.join(dir, 'site', name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  app = createFastify({}, createLogger('test', { write: () => undefined }))
  addFoundations(app)
  await addDocs(app, 'https://phones.example', path.join(dir, 'site'))
  await app.ready()
})
afterAll(async () => {
  await app.close()
  rmSync(dir, { recursive: true, force: true })
})

const get = (
  url: string,
  headers: Record<string, string> = {},
  method: NonNullable<InjectOptions['method']> = 'GET',
) => app.inject({ method, url, headers })

describe('the documentation', () => {
  it.each([
    ['/docs', 'Start'],
    ['/docs/', 'Start'],
    ['/docs/guide/first', 'First'],
    ['/docs/concepts/', 'Concepts'],
    ['/docs/concepts', 'Concepts'],
    ['/docs/guide/first?from=search', 'First'],
  ])('serves %s without a key and without a redirect', async (url, title) => {
    const page = await get(url)
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.body).toContain(`<title>${title}</title>`)
    expect(page.headers['x-request-id']).toMatch(/^req_/)
  })

  it('answers HEAD with the headers of GET', async () => {
    const [head, full] = [await get('/docs', {}, 'HEAD'), await get('/docs')]
    expect([head.statusCode, head.body]).toEqual([200, ''])
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
      expect(head.headers[name], name).toBe(full.headers[name])
  })

  it('lets browsers keep files with a hash in their name, and ask again for all others', async () => {
    expect((await get('/docs/assets/app.1a2b3c.js')).headers['cache-control']).toBe(
      'public, max-age=31536000, immutable',
    )
    const page = await get('/docs')
    expect(page.headers['cache-control']).toBe('no-cache')
    expect((await get('/docs', { 'if-none-match': String(page.headers.etag) })).statusCode).toBe(304)
    expect((await get('/docs/icon.svg')).headers['cache-control']).toBe('no-cache')
  })

  it('sends the compressed copy to clients that accept it', async () => {
    const plain = await get('/docs/assets/app.1a2b3c.js')
    expect([plain.headers['content-encoding'], plain.body]).toEqual([undefined, script])
    const small = await get('/docs/assets/app.1a2b3c.js', { 'accept-encoding': 'br, gzip' })
    expect([small.headers['content-encoding'], small.headers['vary']]).toEqual(['gzip', 'accept-encoding'])
    expect(small.headers['content-type']).toMatch(/javascript/)
    expect(small.rawPayload.length).toBeLessThan(script.length / 2)
  })

  it('allows no framing, no inline scripts and no other servers', async () => {
    const policy = String((await get('/docs')).headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).toContain("connect-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/https?:|\*/)
  })

  it('answers a missing path with a page for browsers, and with the error envelope for programs', async () => {
    const page = await get('/docs/nothing', { accept: 'text/html,*/*' })
    expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(page.body).toContain('<title>Missing</title>')
    expect(page.headers['cache-control']).toBe('no-store')
    errorOf(await get('/docs/nothing'), 404, 'not_found')
    errorOf(await get('/elsewhere', { accept: 'text/html' }), 404, 'not_found')
  })

  it.each([
    ...['/docs/../secret.txt', '/docs/..%2fsecret.txt', '/docs/%2e%2e/secret.txt', '/docs/..%5csecret.txt'],
    ...['/docs/assets/../../../secret.txt', '/docs/a%00b', '/docs//etc/passwd', '/docs/404.html'],
    ...['/docs/assets/app.1a2b3c.js.gz', '/docs/assets/', '/docs/guide/'],
  ])('does not serve %s', async (url) => {
    errorOf(await get(url), 404, 'not_found')
  })

  it('gives models Markdown with the address of the service', async () => {
    const page = await get('/docs/guide/first.md')
    expect([page.headers['content-type'], page.body]).toEqual([
      'text/markdown; charset=utf-8',
      'curl https://phones.example/v1/account',
    ])
    expect((await get('/llms-full.txt')).body).toBe('curl https://phones.example/v1/phones')
  })

  it('serves packages by their name, with and without the version, and nothing else there', async () => {
    for (const name of ['phonerack-sdk-0.1.0.tgz', 'phonerack-sdk.tgz', 'SHA256SUMS'])
      expect((await get(`/packages/${name}`)).statusCode, name).toBe(200)
    for (const name of ['', '..%2fllms-full.txt', 'phonerack.tgz'])
      errorOf(await get(`/packages/${name}`), 404, 'not_found')
  })

  it('refuses other methods with those that the path has', async () => {
    const refused = await get('/docs/guide/first', {}, 'POST')
    errorOf(refused, 405, 'method_not_allowed')
    expect(refused.headers.allow).toBe('GET, HEAD')
  })
})

it('is not found when the site was not built', async () => {
  const bare = createFastify({}, createLogger('test', { write: () => undefined }))
  addFoundations(bare)
  await addDocs(bare, 'https://phones.example', null)
  errorOf(await bare.inject('/docs'), 404, 'not_found')
  await bare.close()
})
