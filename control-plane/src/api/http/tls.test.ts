// The public listener with TLS, with the real server and the real openssl.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { connect as connectPlain, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, afterEach, expect, it } from 'vitest'
import { createLogger } from '@phonerack/shared'
import type { FastifyInstance } from 'fastify'
import { addFoundations, createFastify } from '../server/server.js'
import { readConfig } from '../../base/config/config.js'
import { trackLifetimes } from './lifetimes.js'
import { followTls } from './tls.js'
import { acceptUpgrades, givenBackAtMost } from './upgrades.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-tls-'))
afterAll(() => rmSync(dir, { recursive: true }))
const apps: FastifyInstance[] = []
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
})

const tls = { certFile: path.join(dir, 'tls.crt'), keyFile: path.join(dir, 'tls.key') }
function issue(name: string): void {
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const files = ['-keyout', tls.keyFile, '-out', tls.certFile]
  execFileSync('openssl', ['req', '-x509', ...key, '-days', '2', ...subject, ...files], { stdio: 'ignore' })
}
const log = createLogger('test', { write: () => undefined })

async function serve() {
  issue('first')
  const app = createFastify({ tls }, log)
  apps.push(app)
  trackLifetimes(app)
  addFoundations(app)
  app.get('/address', (request) => ({ address: request.ip, protocol: request.protocol }))
  acceptUpgrades(
    app.server,
    () => false,
    () => undefined,
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return { app, port }
}

const open = async (port: number): Promise<TLSSocket> => {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: readFileSync(tls.certFile) })
  await once(socket, 'secureConnect')
  return socket
}

it('answers over TLS with the address of the client', async () => {
  const { port } = await serve()
  const [answer] = (await once(
    get({
      port,
      host: '127.0.0.1',
      path: '/address',
      servername: 'localhost',
      ca: readFileSync(tls.certFile),
    }),
    'response',
  )) as [IncomingMessage]
  let text = ''
  for await (const chunk of answer) text += String(chunk)
  expect(JSON.parse(text)).toEqual({ address: '127.0.0.1', protocol: 'https' })
})

it('answers requests that offer an upgrade, and closes the connection after the last one', async () => {
  const { port } = await serve()
  const socket = await open(port)
  let read = ''
  socket.on('data', (chunk) => (read += String(chunk)))
  const ended = once(socket, 'end')
  const request = 'GET /address HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'
  const answers = () => read.split('HTTP/1.1 200 ').length - 1
  for (let sent = 1; sent <= givenBackAtMost; sent += 1) {
    socket.write(request)
    while (answers() < sent) await once(socket, 'data')
  }
  await ended
})

it.each(['before', 'after'])('stops although a client has sent nothing %s its handshake', async (when) => {
  const { app, port } = await serve()
  const socket = when === 'after' ? await open(port) : connectPlain(port, '127.0.0.1')
  socket.on('error', () => undefined)
  if (when === 'before') await once(socket, 'connect')
  const closed = once(socket, 'close')
  const started = performance.now()
  await app.close()
  await closed
  expect(performance.now() - started).toBeLessThan(5000)
})

it('ends a connection without TLS, and serves on', async () => {
  const { port } = await serve()
  const socket = connectPlain(port, '127.0.0.1')
  socket.write('GET /address HTTP/1.1\r\nHost: localhost\r\n\r\n')
  socket.resume()
  socket.on('error', () => undefined)
  await once(socket, 'close')
  ;(await open(port)).destroy()
})

it('uses a renewed certificate, and keeps the earlier one while the files are not valid', async () => {
  const { app, port } = await serve()
  const lines: string[] = []
  const note = (_: object, text: string) => void lines.push(text)
  followTls(app.server, tls, { info: note, error: note } as never, 20)
  const subject = async () => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const name = socket.getPeerCertificate().subject.CN
    socket.destroy()
    return name
  }
  const logged = async (text: string) => {
    while (!lines.some((line) => line.includes(text))) await new Promise((done) => setTimeout(done, 20))
  }
  expect(await subject()).toBe('first')
  writeFileSync(tls.certFile, 'half of a certificate')
  await logged('cannot be renewed')
  expect(await subject()).toBe('first')
  issue('second')
  await logged('is in use')
  expect(await subject()).toBe('second')
})

it('needs both files, and has an https address by default', () => {
  const least = { DATABASE_URL: 'postgresql://x', NATS_URL: 'tls://x', PHONERACK_PKI_DIR: '/x' }
  const half = { PHONERACK_HTTP_CERT_FILE: '/tls.crt' }
  expect(() => readConfig({ ...least, ...half })).toThrow(/PHONERACK_HTTP_CERT_FILE go together/)
  expect(readConfig({ ...least, ...half, PHONERACK_HTTP_KEY_FILE: '/tls.key' }).http).toMatchObject({
    baseUrl: 'https://127.0.0.1:8080',
    tls: { certFile: '/tls.crt', keyFile: '/tls.key' },
  })
  expect(readConfig(least).http).toMatchObject({ baseUrl: 'http://127.0.0.1:8080', tls: null })
})
