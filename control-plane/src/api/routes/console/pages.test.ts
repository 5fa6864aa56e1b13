// The console's files, in the encodings that a client accepts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addConsolePages } from './pages.js'

const content = Buffer.from('export const answer = 42')
const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-console-'))
const app = Fastify()
beforeAll(async () => {
  mkdirSync(path.join(dir, 'assets'))
  writeFileSync(path.join(dir, 'index.html'), '<!doctype html>')
  for (const name of ['both.js', 'gzip.js', 'plain.woff2'])
    writeFileSync(path.join(dir, 'assets', name), content)
  for (const name of ['both.js.gz', 'gzip.js.gz'])
    writeFileSync(path.join(dir, 'assets', name), gzipSync(content))
  writeFileSync(path.join(dir, 'assets/both.js.br'), brotliCompressSync(content))
  await addConsolePages(app, dir, 'http://127.0.0.1:1')
})
afterAll(async () => {
  await app.close()
  rmSync(dir, { recursive: true, force: true })
})

const get = async (name: string, accepted?: string) => {
  const answer = await app.inject({
    url: `/console/assets/${name}`,
    headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
  })
  expect([answer.statusCode, answer.headers['vary']]).toEqual([200, 'accept-encoding'])
  return { encoding: answer.headers['content-encoding'], body: answer.rawPayload }
}

it('sends Brotli where it is accepted and built', async () => {
  const sent = await get('both.js', 'gzip, deflate, br, zstd')
  expect(sent.encoding).toBe('br')
  expect(brotliDecompressSync(sent.body)).toEqual(content)
  expect((await get('gzip.js', 'gzip, br')).encoding).toBe('gzip')
})

it('sends gzip or the file itself to other clients', async () => {
  const sent = await get('both.js', 'gzip, deflate')
  expect(sent.encoding).toBe('gzip')
  expect(gunzipSync(sent.body)).toEqual(content)
  expect(await get('both.js')).toEqual({ encoding: undefined, body: content })
  expect(await get('plain.woff2', 'gzip, br')).toEqual({ encoding: undefined, body: content })
})
