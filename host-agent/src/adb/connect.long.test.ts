/** One connection to an adb server that refuses it, hangs up, sends invalid data or does not stop sending. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { DeadlineExceeded, Progress } from '@phonerack/shared'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { until } from '../testing/until.js'
import { Connection } from './adbkit.js'
import { AdbClient } from './client.js'
import { openSocket } from './connect.js'
import { AdbConnectionLost, AdbFileRefused, AdbProtocolError, AdbRefused } from './errors.js'
import { command } from './quote.js'
import { readShellPackets, shellPacket } from './shell-protocol.js'
import { AdbSocket } from './socket.js'
import { pullFile } from './sync.js'
import { trackDevices } from './track.js'
import { createTransport } from './transport.js'

let dir: string
let socketPath: string
let server: Server | null = null
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'phonerack-connection-'))
  socketPath = path.join(dir, 'adb')
})
afterEach(() => {
  vi.restoreAllMocks()
  server?.close()
  server = null
  rmSync(dir, { recursive: true, force: true })
})

async function listen(onConnection: (socket: Socket) => void): Promise<void> {
  server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    onConnection(socket)
  })
  server.listen(socketPath)
  await once(server, 'listening')
}
const progress = () => Progress.for(100_000)
const client = () => new AdbClient(socketPath)
const transport = () => createTransport(client(), { serial: 'a phone', current: { id: 7, serverRun: 0 } })

/** Answers OKAY to the first services, then calls `then`. */
function okay(services: number, then: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => {
    let left = services
    socket.on('data', () => {
      if (left <= 0) return
      left -= 1
      socket.write('OKAY')
      if (left === 0) then(socket)
    })
  }
}

describe('a connection that the adb server refuses', () => {
  it('starts no server, unlike adbkit', async () => {
    const code = `require('node:net').createServer().listen(${JSON.stringify(socketPath)}, () => console.log())`
    const left = spawn(process.execPath, ['-e', code])
    await once(left.stdout, 'data')
    left.kill('SIGKILL')
    await once(left, 'exit')
    const mark = path.join(dir, 'started')
    const bin = path.join(dir, 'adb-to-start')
    writeFileSync(bin, `#!/bin/sh\necho "$@" > ${mark}\n`)
    chmodSync(bin, 0o755)
    const starts = vi.spyOn(Connection.prototype, 'startServer')

    await expect(client().version(progress())).rejects.toThrow(AdbConnectionLost)
    await expect(transport().shell(command('true'), progress())).rejects.toThrow(/unreachable/)
    expect(starts).not.toHaveBeenCalled()
    expect(existsSync(mark)).toBe(false)

    const options = { path: socketPath, port: 0, bin }
    await expect(Promise.resolve(new Connection(options).connect())).rejects.toThrow(/ECONNREFUSED/)
    expect(existsSync(mark)).toBe(true)
  })
})

describe('a call to the adb server', () => {
  it('ends when the server hangs up in the middle of an answer', async () => {
    await listen((socket) => socket.once('data', () => socket.end('OK')))
    await expect(client().version(progress())).rejects.toThrow(AdbConnectionLost)
    await expect(client().devices(progress())).rejects.toThrow(AdbConnectionLost)
  })

  it('ends at its deadline, and by its signal, while the server is silent', async () => {
    const sockets: Socket[] = []
    await listen((socket) => sockets.push(socket.resume()))
    await expect(client().version(Progress.for(50))).rejects.toThrow(DeadlineExceeded)
    await expect(transport().connectTcp(1, Progress.for(50))).rejects.toThrow(DeadlineExceeded)
    const control = new AbortController()
    const call = transport().connectAbstract('x', Progress.for(20_000, control.signal))
    await until(() => sockets.length === 3)
    control.abort()
    await expect(call).rejects.toThrow(DeadlineExceeded)
    await until(() => sockets.every(({ destroyed }) => destroyed))
  })

  it('ends when its deadline passes at the moment of the answer, otherwise its stream stays open', async () => {
    await listen(okay(2, () => undefined))
    for (let turns = 0; turns < 40; turns += 1) {
      const control = new AbortController()
      const call = transport().spawn(command('x'), Progress.for(20_000, control.signal))
      for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate)
      control.abort()
      const outcome: unknown = await call.catch((error: unknown) => error)
      if (!(outcome instanceof AdbSocket)) expect(outcome).toBeInstanceOf(DeadlineExceeded)
      else {
        await new Promise(setImmediate)
        expect(outcome.closed).toBe(false)
        outcome.close()
      }
    }
  })

  it('throws the reason of a refusal even when the server then hangs up immediately', async () => {
    await listen((socket) => socket.once('data', () => socket.end('FAIL0009some text')))
    for (let round = 0; round < 20; round++) {
      await expect(client().version(progress())).rejects.toThrow(new AdbRefused('host:version', 'some text'))
      await expect(client().ask('host:x', progress())).rejects.toThrow(new AdbRefused('host:x', 'some text'))
    }
  })

  it('returns the reason when a network phone cannot be connected', async () => {
    const words = "failed to connect to '10.0.0.1:5555': Connection refused"
    let asked = ''
    await listen((socket) =>
      socket.once('data', (bytes) => {
        asked = bytes.toString()
        socket.end(`OKAY${words.length.toString(16).padStart(4, '0')}${words}`)
      }),
    )
    expect(await client().connect('10.0.0.1:5555', progress())).toBe(words)
    expect(await client().connect('[fe80::1]:5556', progress())).toBe(words)
    expect(asked).toBe('001Bhost:connect:[fe80::1]:5556')
    // The server's refusal of an unlisted address is ignored.
    await client().disconnect('10.0.0.1:5555', progress())
  })

  it('ties the ids of a list to the server that accepted the connection', async () => {
    const list = 'a device transport_id:1\n'
    await listen((socket) =>
      socket.once('data', () => socket.end(`OKAY${list.length.toString(16).padStart(4, '0')}${list}`)),
    )
    const one = client()
    const listed = one.devices(progress())
    const tracked: unknown[] = []
    const stop = new AbortController()
    const tracking = trackDevices(
      one,
      (devices) => {
        tracked.push(devices[0]?.transport)
        stop.abort()
      },
      () => undefined,
      stop.signal,
    )
    one.onServerStart()
    expect((await listed)[0]?.transport).toEqual({ id: 1, serverRun: 1 })
    await tracking
    expect(tracked).toEqual([{ id: 1, serverRun: 1 }])
  })

  it.each(['OKAYzzzz', 'OKAY-001', 'nonsense', 'FAIL####'])('rejects the answer %s', async (answer) => {
    await listen((socket) => socket.once('data', () => socket.end(answer)))
    await expect(client().devices(progress())).rejects.toThrow(AdbProtocolError)
  })

  it('keeps typed text out of the ADBKIT_DUMP output of adbkit', async () => {
    await listen(okay(2, (socket) => socket.end(shellPacket(3, Buffer.from([0])))))
    const write = vi.spyOn(Connection.prototype, 'write')
    await transport().shell(command('input', 'text', 'hunter2'), progress())
    expect(write).not.toHaveBeenCalled()
  })
})

/** The measurement must not include the garbage of other tests. */
function bytesInUse(): number {
  setFlagsFromString('--expose-gc')
  const clean = runInNewContext('gc') as () => void
  clean()
  return process.memoryUsage().heapUsed
}

describe('a phone that does not stop sending', () => {
  const chunk = Buffer.alloc(65_536, 1)
  /** The number of bytes that the phone could send. */
  function endless(): { sent: number; begin: (socket: Socket) => void } {
    const state = {
      sent: 0,
      begin(socket: Socket): void {
        const more = (): void => {
          while (!socket.destroyed) {
            state.sent += chunk.length
            if (!socket.write(chunk)) return
          }
        }
        socket.on('drain', more)
        more()
      },
    }
    return state
  }

  it('is paused while its stream is not read, and continues afterwards', async () => {
    const phone = endless()
    await listen(okay(2, (socket) => phone.begin(socket)))
    const stream = await transport().connectAbstract('x', progress())
    await until(() => phone.sent > 1 << 20)
    let before = -1
    await until(async () => {
      if (phone.sent === before) return true
      before = phone.sent
      await Progress.for(2000).sleep(300)
      return false
    })
    expect(phone.sent).toBeLessThan(8 << 20)
    for (let read = 0; read < 16; read++) expect((await stream.read(1 << 20)).length).toBe(1 << 20)
    const rest = stream.toStream()
    let flowed = 0
    rest.on('data', (bytes: Buffer) => (flowed += bytes.length))
    await until(() => flowed > 4 << 20)
    rest.destroy()
  })

  it('ends a command at the limit of its output', async () => {
    const packet = shellPacket(1, chunk)
    await listen((socket) => {
      const more = (): void => {
        while (socket.write(packet));
      }
      socket.on('drain', more)
      more()
    })
    const stream = await openSocket(socketPath, 'a test', progress())
    await expect(readShellPackets(stream, 1 << 20)).rejects.toThrow(AdbProtocolError)
    stream.close()
  })

  it('is read in time proportional to its bytes, even when they arrive one by one', async () => {
    await listen(() => undefined)
    const stream = await openSocket(socketPath, 'a test', progress())
    const { socket } = stream as unknown as { socket: Socket }
    const length = 2_000_000
    const reading = stream.read(length)
    for (let sent = 0; sent < length; sent += 1) socket.emit('data', Buffer.from([sent % 251]))
    const read = await reading
    expect(read).toHaveLength(length)
    expect(read.every((byte, index) => byte === index % 251)).toBe(true)
    stream.close()
  })

  it('uses no memory by packets and frames without content', async () => {
    const empty = Buffer.concat(Array.from({ length: 100_000 }, () => shellPacket(1, Buffer.alloc(0))))
    const frame = Buffer.alloc(8)
    frame.write('DATA', 'latin1')
    const frames = Buffer.concat(Array.from({ length: 100_000 }, () => frame))
    for (const [bytes, read] of [
      [
        empty,
        () => openSocket(socketPath, 'a test', progress()).then((one) => readShellPackets(one, 1 << 20)),
      ],
      [
        frames,
        () => openSocket(socketPath, 'a test', progress()).then((one) => pullFile(one, '/x', 1 << 20)),
      ],
    ] as const) {
      let packets = 0
      let during = 0
      await listen((socket) => {
        const more = (): void => {
          while (packets < 400_000) {
            packets += 100_000
            if (!socket.write(bytes)) return
          }
          during = bytesInUse()
          socket.end()
        }
        socket.on('drain', more)
        more()
      })
      const before = bytesInUse()
      await expect(read()).rejects.toThrow(AdbConnectionLost)
      expect(packets).toBe(400_000)
      expect(during - before).toBeLessThan(20 << 20)
      server?.close()
      rmSync(socketPath, { force: true })
    }
  })
})

it('does not crash on any bytes from a phone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(0, 1), async (bytes, kind) => {
      await listen((socket) => socket.end(bytes))
      const stream = await openSocket(socketPath, 'a test', progress())
      const reading = kind === 0 ? readShellPackets(stream, 100) : pullFile(stream, '/x', 100)
      const outcome: unknown = await reading.catch((error: unknown) => error)
      server?.close()
      const expected = [AdbProtocolError, AdbFileRefused, AdbConnectionLost]
      if (outcome instanceof Error) expect(expected.some((type) => outcome.constructor === type)).toBe(true)
    }),
    { numRuns: 200 },
  )
})
