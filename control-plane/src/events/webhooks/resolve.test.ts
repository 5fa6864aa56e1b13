/** Names of receivers, with a real name server on UDP. */
import { createSocket, type Socket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { afterEach, expect, it } from 'vitest'
import { createResolve } from './resolve.js'
import { createSystemLookups } from './system-lookups.js'

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close()
})

/**
 * Answers questions for IPv4 addresses with `address`, and other questions without an address. RFC 1035.
 * @param code of each answer: 0 for no error
 */
async function startNameServer(address: string, code = 0): Promise<string> {
  const socket = createSocket('udp4').on('message', (question, { port }) => {
    const isV4 = question.readUInt16BE(question.indexOf(0, 12) + 1) === 1
    const header = Buffer.from(question.subarray(0, 12))
    header.writeUInt16BE(0x8180 + code, 2)
    header.writeUInt16BE(isV4 && code === 0 ? 1 : 0, 6)
    // The answer has no additional records, since it omits the additional records of the question.
    header.writeUInt16BE(0, 10)
    const asked = question.subarray(12, question.indexOf(0, 12) + 5)
    const answer = [0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]
    socket.send(Buffer.concat([header, asked, ...(isV4 && code === 0 ? [Buffer.from(answer)] : [])]), port)
  })
  sockets.push(socket)
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return `127.0.0.1:${socket.address().port}`
}

/** A system whose name server changes. */
function system(server: string) {
  const state = { server, opened: 0, ms: 0 }
  return {
    state,
    resolve: createResolve({
      open() {
        state.opened += 1
        const resolver = new Resolver({ timeout: 200, tries: 1 })
        resolver.setServers([state.server])
        return resolver
      },
      bySystem: () => Promise.reject(new Error('not expected')),
      now: () => state.ms,
    }),
  }
}

const { signal } = new AbortController()

it('asks the name servers that the system has now, after a minute', async () => {
  const { resolve, state } = system(await startNameServer('192.0.2.1'))
  expect(await resolve('receiver.example', signal, 'a')).toEqual(['192.0.2.1'])
  state.server = await startNameServer('192.0.2.2')
  state.ms = 59_000
  expect(await resolve('receiver.example', signal, 'a')).toEqual(['192.0.2.1'])
  state.ms = 60_000
  expect(await resolve('receiver.example', signal, 'a')).toEqual(['192.0.2.2'])
  expect(state.opened).toBe(2)
})

it('asks the name servers that the system has now, after one that did not answer', async () => {
  const silent = createSocket('udp4').bind(0, '127.0.0.1')
  sockets.push(silent)
  await once(silent, 'listening')
  const { resolve, state } = system(`127.0.0.1:${silent.address().port}`)
  state.server = await startNameServer('192.0.2.3')
  await expect(resolve('receiver.example', signal, 'a')).rejects.toMatchObject({ code: 'ETIMEOUT' })
  expect(await resolve('receiver.example', signal, 'a')).toEqual(['192.0.2.3'])
})

/** Lookups that end when the test says so. */
function heldLookups(withinMs?: number) {
  const held: { name: string; end: () => void }[] = []
  const lookups = createSystemLookups(
    (name) => new Promise((end) => held.push({ name, end: () => end(['192.0.2.9']) })),
    withinMs,
  )
  return { lookups, names: () => held.map(({ name }) => name), end: (at: number) => held[at]?.end() }
}

it('looks up two names by the system at the same time, and the others in their order', async () => {
  const { lookups, names, end } = heldLookups()
  const all = ['a', 'b', 'c', 'd'].map((name) => lookups(name, signal, name))
  expect(names()).toEqual(['a', 'b'])
  end(1)
  await all[1]
  await expect.poll(names).toEqual(['a', 'b', 'c'])
  end(0)
  end(2)
  await expect.poll(names).toEqual(['a', 'b', 'c', 'd'])
  end(3)
  expect(await Promise.all(all)).toHaveLength(4)
})

it('looks up one name of a project by the system at a time', async () => {
  const { lookups, names, end } = heldLookups()
  const all = ['a', 'b', 'c'].map((name) => lookups(name, signal, 'one'))
  const other = lookups('d', signal, 'other')
  expect(names()).toEqual(['a', 'd'])
  end(0)
  await all[0]
  await expect.poll(names).toEqual(['a', 'd', 'b'])
  end(1)
  await other
  end(2)
  await expect.poll(names).toEqual(['a', 'd', 'b', 'c'])
  end(3)
  expect(await Promise.all(all)).toHaveLength(3)
})

it('does not ask the system for a name whose name servers fail', async () => {
  // RFC 1035: SERVFAIL.
  const { resolve } = system(await startNameServer('192.0.2.1', 2))
  await expect(resolve('receiver.example', signal, 'a')).rejects.toMatchObject({ code: 'ESERVFAIL' })
})

it('does not look up names of attempts that have ended', async () => {
  const { lookups, names, end } = heldLookups()
  const ending = new AbortController()
  const first = ['a', 'b'].map((name) => lookups(name, signal, name))
  const gone = [...Array(8).keys()].map((each) => lookups(`gone${each}`, ending.signal, `gone${each}`))
  const last = lookups('c', signal, 'c')
  ending.abort(new Error('ended'))
  for (const each of gone) await expect(each).rejects.toThrow('ended')
  await expect(lookups('d', ending.signal, 'd')).rejects.toThrow('ended')
  end(0)
  end(1)
  await Promise.all(first)
  await expect.poll(names).toEqual(['a', 'b', 'c'])
  end(2)
  await last
})

it('gives up after its time, while it waits and while it looks up', async () => {
  const { lookups, names, end } = heldLookups(100)
  for (const name of ['a', 'b', 'c'])
    await expect(lookups(name, signal, name)).rejects.toMatchObject({ code: 'ETIMEOUT' })
  // The first two lookups still use their threads.
  expect(names()).toEqual(['a', 'b'])
  end(0)
  await expect.poll(() => lookups('d', signal, 'd').catch(() => names())).toContain('d')
})
