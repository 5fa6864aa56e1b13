/** The slow line between two real sockets. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { SlowLine } from './slow-line.js'

/** Bytes of one read of a socket. */
const chunk = 65_536
const bursts = 200

it('keeps the order of chunks that arrive in the same millisecond', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [accepted] = (await once(server, 'connection')) as [Socket]
  const line = new SlowLine(accepted, { latencyMs: 2, bytesPerSecond: 60_000_000 })
  const received: Buffer[] = []
  let length = 0
  line.on('data', (part: Buffer) => {
    received.push(part)
    length += part.length
  })
  const sent: Buffer[] = []
  for (let number = 0; number < bursts; number += 1) {
    // A full read, and remaining bytes whose transfer takes less than a timer's resolution.
    const burst = Buffer.concat([Buffer.alloc(chunk, number), Buffer.from(`end of ${number}`)])
    sent.push(burst)
    client.write(burst)
    if (number % 4 === 3) await new Promise((resolve) => setTimeout(resolve, 3))
  }
  const all = Buffer.concat(sent)
  await expect.poll(() => length).toBe(all.length)
  client.destroy()
  server.close()
  // Comparing these contents with `toEqual` would take seconds.
  expect(Buffer.concat(received).equals(all)).toBe(true)
})
