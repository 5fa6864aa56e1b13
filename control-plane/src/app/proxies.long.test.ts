// The proxies of deploy/compose and docs/operations.md before two replicas: real programs, from their package
// or from the path in CADDY, NGINX_BIN or HAPROXY. `./scripts/check-compose --running` downloads the programs
// that are not installed.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request as startRequest } from 'node:https'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import path from 'node:path'
import { isListening } from '@phonerack/launcher'
import { freePort } from '@phonerack/launcher/ports'
import { afterEach, expect, inject, it } from 'vitest'
import { startPostgresProxy } from '../testing/postgres-proxy.js'
import { eventually, newDatabase, useWorld } from '../testing/world.js'

const world = useWorld()
const root = path.join(import.meta.dirname, '../../..')
const guide = readFileSync(path.join(root, 'docs/operations.md'), 'utf8')
const closers: (() => void)[] = []
afterEach(() => closers.splice(0).forEach((close) => close()))

/** Returns the code block of the guide that begins with `start`. */
const block = (start: string): string => {
  const at = guide.indexOf(`\`\`\`\n${start}`)
  if (at === -1) throw new Error(`docs/operations.md has no block that begins with ${start}`)
  return guide.slice(at + 4, guide.indexOf('\n```\n', at) + 1)
}

interface Place {
  port: number
  home: string
  /** Certificate and key of the proxy; `both` has the two in one file. */
  cert: string
  key: string
  both: string
}

interface Proxy {
  program: string
  /** Fills in the example, and returns the command line. */
  write: (at: Place) => { text: string; args: (file: string) => string[] }
  /** Adds the lines of the guide for TLS to the replicas. */
  toTls: (text: string, authority: string) => string
}

const replace = (text: string, ...pairs: [string, string][]): string =>
  pairs.reduce((whole, [from, to]) => {
    if (!whole.includes(from)) throw new Error(`the example has no ${from}`)
    return whole.replaceAll(from, to)
  }, text)

const caddy = (text: string, site: string): Proxy => ({
  program: process.env['CADDY'] ?? '/usr/bin/caddy',
  write: ({ port, cert, key }) => ({
    text: `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${replace(text, [
      site,
      `https://localhost:${port} {\n\ttls ${cert} ${key}\n`,
    ])}`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  }),
  toTls: (whole, authority) =>
    replace(whole, [
      'lb_policy least_conn',
      `lb_policy least_conn
		transport http {
			tls
			tls_server_name replicas.example
			tls_trusted_ca_certs ${authority}
		}`,
    ]),
})

const proxies: Record<string, Proxy> = {
  'Caddy of deploy/compose': caddy(
    replace(readFileSync(path.join(root, 'deploy/compose/Caddyfile'), 'utf8'), [
      'control-1:8080 control-2:8080',
      '192.0.2.21:8080 192.0.2.22:8080',
    ]),
    '{$PHONERACK_DOMAIN} {\n',
  ),
  'Caddy of the guide': caddy(block('phones.example {'), 'phones.example {\n'),
  'nginx of the guide': {
    program: process.env['NGINX_BIN'] ?? '/usr/sbin/nginx',
    write: ({ port, home, cert, key }) => ({
      text: `daemon off;\nmaster_process off;\npid ${home}/pid;\nerror_log ${home}/error.log;\nevents {}\nhttp {\naccess_log off;\n${[
        ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'],
      ]
        .map((kind) => `${kind}_temp_path ${home}/${kind};\n`)
        .join('')}${replace(
        block('upstream phonerack {'),
        ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
        ['/etc/ssl/phones.example.pem', cert],
        ['/etc/ssl/private/phones.example.key', key],
      )}}\n`,
      args: (file) => ['-c', file, '-p', home],
    }),
    toTls: (text, authority) =>
      replace(text, [
        'proxy_pass http://phonerack;',
        `proxy_pass https://phonerack; proxy_ssl_verify on; proxy_ssl_name replicas.example; proxy_ssl_trusted_certificate ${authority};`,
      ]),
  },
  'HAProxy of the guide': {
    program: process.env['HAPROXY'] ?? '/usr/sbin/haproxy',
    write: ({ port, both }) => ({
      text: replace(
        block('defaults\n    mode http'),
        ['bind :443', `bind 127.0.0.1:${port}`],
        ['/etc/haproxy/phones.example.pem', both],
      ),
      args: (file) => ['-db', '-f', file],
    }),
    toTls: (text, authority) =>
      replace(text, [
        'check inter 2s',
        `check inter 2s ssl verify required ca-file ${authority} verifyhost replicas.example`,
      ]),
  },
}

/** Creates a self-signed certificate. */
function certificate(home: string, name: string) {
  const [cert, key, both] = ['pem', 'key', 'both'].map((end) => path.join(home, `${name}.${end}`)) as [
    string,
    string,
    string,
  ]
  const made = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    key,
    '-out',
    cert,
  ]
  const named = ['-days', '2', '-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  execFileSync('openssl', ['req', '-x509', ...made, ...named], { stdio: 'ignore' })
  writeFileSync(both, readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'), { mode: 0o600 })
  return { cert, key, both }
}

async function start({ program, write, toTls }: Proxy, home: string, replicas: number[], tls: string | null) {
  const port = await freePort()
  const place = { port, home, ...certificate(home, 'localhost') }
  const { text, args } = write(place)
  const [first = 0, second = 0] = replicas
  const there = replace(
    text,
    ['192.0.2.21:8080', `127.0.0.1:${first}`],
    ['192.0.2.22:8080', `127.0.0.1:${second}`],
  )
  const file = path.join(home, 'config')
  writeFileSync(file, tls === null ? there : toTls(there, tls))
  const process_: ChildProcess = spawn(program, args(file), {
    stdio: process.env['LOG_LEVEL'] === undefined ? 'ignore' : 'inherit',
    env: { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
  })
  closers.push(() => process_.kill('SIGKILL'))
  await eventually(() => isListening(port), 30_000)
  const agent = new Agent({ ca: readFileSync(place.cert), keepAlive: false })
  closers.push(() => agent.destroy())
  return async (method: string, url: string, key: string, body?: string) => {
    const sent = startRequest({
      agent,
      port,
      method,
      path: url,
      host: 'localhost',
      headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    let read = ''
    for await (const chunk of answer) read += String(chunk)
    return { status: answer.statusCode, wait: answer.headers['retry-after'] ?? null, body: read }
  }
}

interface Way {
  port: number
  /** Ends as a process does. */
  leave(): void
}

/**
 * Passes connections on, and closes a connection that carries a request for `/v1/cut`, like a replica that
 * crashes.
 */
async function cutter(to: number, cuts: string[]): Promise<Way> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    const replica = connect(to, '127.0.0.1')
    for (const side of [socket, replica]) side.on('error', () => undefined)
    replica.on('close', () => socket.destroy())
    socket.on('close', () => {
      open.delete(socket)
      replica.destroy()
    })
    replica.pipe(socket)
    socket.on('data', (bytes) => {
      if (!bytes.includes('/v1/cut')) return void replica.write(bytes)
      cuts.push(String(bytes).split(' ', 1)[0] ?? '')
      socket.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const leave = (): void => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  closers.push(leave)
  return { port: (server.address() as AddressInfo).port, leave }
}

const envelope = expect.stringMatching(
  /^\{"error":\{.*"code":"service_unavailable".*"request_id":"[^"]+"\}\}$/,
) as unknown
const unsent = { status: 503, wait: '2', body: envelope }

for (const [name, proxy] of Object.entries(proxies)) {
  const missing = existsSync(proxy.program) ? '' : ` (${proxy.program} is missing)`

  it.skipIf(missing !== '')(
    `tells a replica that is gone from a database that is gone: ${name}${missing}`,
    async () => {
      const postgres = await startPostgresProxy(await newDatabase(inject('testServers').postgresUrl))
      const first = await world.start({ env: { DATABASE_URL: postgres.url } })
      const second = await world.start({ beside: first })
      const cuts: string[] = []
      const ways: Way[] = []
      for (const plane of [first, second]) {
        await plane.server.listen({ host: '127.0.0.1', port: 0 })
        ways.push(await cutter((plane.server.server.address() as AddressInfo).port, cuts))
      }
      const home = path.join(world.dir, name.replaceAll(/\W/g, '-'))
      mkdirSync(home)
      const ask = await start(
        proxy,
        home,
        ways.map(({ port }) => port),
        null,
      )
      const { key } = await first.tenant()
      const get = () => ask('GET', '/v1/account', key)
      await eventually(async () => (await get()).status === 200, 30_000)

      // A replica had this request, so the answer has no envelope and the proxy does not send the request again.
      for (const method of ['POST', 'DELETE']) {
        const cut = await ask(method, '/v1/cut', key, method === 'POST' ? '{}' : undefined)
        expect(cut.status).toBe(502)
        expect(cut.body).not.toContain('"error"')
      }
      expect(cuts).toEqual(['POST', 'DELETE'])

      // The other replica gets each request, even immediately after the loss. nginx answers the failed requests with the envelope.
      ways[0]?.leave()
      for (let request = 0; request < 10; request += 1) {
        const answer = await get()
        if (answer.status !== 200) expect(name).toContain('nginx')
        expect([{ status: 200 }, unsent]).toContainEqual(
          answer.status === 200 ? { status: 200 } : expect.objectContaining(answer),
        )
      }
      const isBack = () => eventually(async () => (await get()).status === 200, 60_000)
      await isBack()
      postgres.close()
      expect(await get()).toMatchObject({ status: 503, body: envelope })
      postgres.open()
      await isBack()
      ways[1]?.leave()
      expect(await get()).toEqual(unsent)
      await postgres.stop()
    },
  )

  it.skipIf(missing !== '')(`reaches replicas by TLS and verifies them: ${name}${missing}`, async () => {
    const home = path.join(world.dir, `tls-${name.replaceAll(/\W/g, '-')}`)
    mkdirSync(home)
    const { cert, key } = certificate(home, 'replicas.example')
    const env = { PHONERACK_HTTP_CERT_FILE: cert, PHONERACK_HTTP_KEY_FILE: key }
    const plane = await world.start({ env })
    await plane.server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = plane.server.server.address() as AddressInfo
    const tenant = await plane.tenant()
    const ask = await start(proxy, home, [port, port], cert)
    await eventually(async () => (await ask('GET', '/v1/account', tenant.key)).status === 200, 30_000)
    const other = path.join(home, 'other')
    mkdirSync(other)
    const distrusting = await start(proxy, other, [port, port], certificate(other, 'replicas.example').cert)
    expect((await distrusting('GET', '/v1/account', tenant.key)).status).toBeGreaterThanOrEqual(502)
  })
}
