// The console's files, in the encodings that a client accepts.
import { brotliDecompressSync, gunzipSync, gzipSync, brotliCompressSync } from 'node:zlib'
import Fastify from 'fastify'
import { afterAll, expect, it } from 'vitest'
import { addConsolePages } from './pages.js'

const content = Buffer.from('export const answer = 42')
const file = { type: 'text/javascript; charset=utf-8', content, gzip: gzipSync(content) }
const app = Fastify()
addConsolePages(
  app,
  {
    html: '<!doctype html>',
    assets: new Map([
      ['both.js', { ...file, brotli: brotliCompressSync(content) }],
      ['gzip.js', { ...file, brotli: null }],
      ['plain.woff2', { type: 'font/woff2', content, gzip: null, brotli: null }],
    ]),
  },
  'http://127.0.0.1:1',
)
afterAll(() => app.close())

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
