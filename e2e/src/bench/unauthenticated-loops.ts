/**
 * Clients without a valid key, each of which sends its next request as soon as the last one is answered: to
 * upload URLs with unknown tokens, or to `/v1/account` with wrong keys. A separate process; ends with
 * SIGTERM, and prints the number of requests per status.
 */
import { Agent, request } from 'node:http'
import { newSecret } from '@phonerack/shared'

const [origin = '', kind = '', addresses = '', count = '100'] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: Number(count) })
const answers = new Map<number, number>()
let isOver = false

const send = (from: string): Promise<void> =>
  new Promise((resolve) => {
    const [method, path, headers] =
      kind === 'uploads'
        ? ['POST', `/uploads/${newSecret('upload')}`, { 'content-length': '10' }]
        : ['GET', '/v1/account', { authorization: `Bearer ${newSecret('apiKey')}` }]
    const outgoing = request(`${origin}${path}`, {
      method,
      agent,
      headers: { ...headers, 'x-forwarded-for': from },
    })
    outgoing.on('response', (response) => {
      const status = response.statusCode ?? 0
      answers.set(status, (answers.get(status) ?? 0) + 1)
      response.resume().once('close', resolve)
    })
    outgoing.on('error', () => setTimeout(resolve, 10))
    outgoing.end(kind === 'uploads' ? '0123456789' : undefined)
  })

async function loop(from: string): Promise<void> {
  while (!isOver) await send(from)
}

process.once('SIGTERM', () => {
  isOver = true
  process.stdout.write(`${JSON.stringify([...answers])}\n`, () => process.exit(0))
})
for (let each = 0; each < Number(count); each += 1)
  void loop(addresses === 'one' ? '198.51.100.1' : `2001:db8:${each}::1`)
