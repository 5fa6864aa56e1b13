/**
 * Clients that send a request as soon as the last request is answered. Each kind is an attack that once
 * slowed other clients. Runs in a separate process, which ends with SIGTERM and prints the number of answers
 * per status. Used by `strangers.ts`.
 */
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { newSecret } from '@phonerack/shared'
import { WebSocket } from 'ws'

/** `secret`: the URL of a hand-over, or the cookies of a session; empty for the other kinds. */
const [origin = '', kind = '', addresses = '', count = '100', secret = ''] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: Number(count) })
const answers = new Map<number, number>()
let isOver = false

const seen = (status: number): unknown => answers.set(status, (answers.get(status) ?? 0) + 1)
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

type Sent = [method: string, path: string, headers: Record<string, string>]
const requests = new Map<string, () => Sent>([
  ['uploads', () => ['POST', `/uploads/${newSecret('upload')}`, { 'content-length': '10' }]],
  ['keys', () => ['GET', '/v1/account', { authorization: `Bearer ${newSecret('apiKey')}` }]],
  ['session', () => ['GET', '/console/api/me/accounts', { cookie: secret }]],
])

const send = ([method, path, headers]: Sent, from: string): Promise<void> =>
  new Promise((resolve) => {
    const outgoing = request(`${origin}${path}`, {
      method,
      agent,
      headers: { ...headers, 'x-forwarded-for': from },
    })
    outgoing.on('response', (response) => {
      seen(response.statusCode ?? 0)
      response.resume().once('close', resolve)
    })
    outgoing.on('error', () => setTimeout(resolve, 10))
    outgoing.end(method === 'POST' ? '0123456789' : undefined)
  })

const upgrade = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'

/** Opens a connection that offers an upgrade in each request, until the server closes the connection. */
const offerUpgrades = (): Promise<void> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    const write = (): unknown => (isOver ? socket.destroy() : socket.write(upgrade))
    socket.on('connect', write)
    socket.on('data', (bytes) => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1'))?.[1]
      if (status === undefined) return
      seen(Number(status))
      write()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
  })

/** Milliseconds between two decisions of one view of a hand-over: 600 a second. */
const decisionMs = 1000 / 600

/** Opens a view of a hand-over, which takes control and gives the phone back as fast as it can. */
const decide = (): Promise<void> =>
  new Promise((resolve) => {
    const { origin: from, host, hash } = new URL(secret)
    const socket = new WebSocket(`ws://${host}/live/socket`, 'phonerack.live.2', { origin: from })
    const say = (message: object): void => socket.send(JSON.stringify(message))
    let sent = 0
    let timer: NodeJS.Timeout | undefined
    socket.on('open', () => {
      say({ type: 'open', token: hash.slice(1) })
      const start = performance.now()
      timer = setInterval(() => {
        if (isOver) return socket.terminate()
        for (; sent < (performance.now() - start) / decisionMs; sent += 1)
          say(sent % 2 === 0 ? { type: 'take' } : { type: 'give_back', outcome: 'done', note: '' })
      }, 10)
    })
    socket.on('message', () => seen(200))
    socket.on('error', () => undefined)
    socket.on('close', (code) => {
      clearInterval(timer)
      seen(code)
      resolve()
    })
  })

async function once(from: string): Promise<void> {
  const next = requests.get(kind)
  if (next) return send(next(), from)
  if (kind === 'upgrades') return offerUpgrades()
  await decide()
  await pause(100)
}

async function loop(from: string): Promise<void> {
  while (!isOver) await once(from)
}

process.once('SIGTERM', () => {
  isOver = true
  process.stdout.write(`${JSON.stringify([...answers])}\n`, () => process.exit(0))
})
for (let each = 0; each < Number(count); each += 1)
  void loop(addresses === 'one' ? '198.51.100.1' : `2001:db8:${each}::1`)
