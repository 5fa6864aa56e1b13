/** The transport's rules, tested with a host that sends single packets. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Phone, startPhone } from '../phone.js'
import { RawHost } from '../testing/raw-host.js'
import { command } from './packet.js'

const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-adbd-'))
let phone: Phone
const faults: string[] = []

beforeAll(async () => {
  phone = await startPhone({
    port: 0,
    dataDir: folder,
    pace: 'instant',
    onFault: (error) => faults.push(String(error)),
  })
})
afterAll(async () => {
  await phone.close()
  rmSync(folder, { recursive: true })
})

const window = (bytes: number) => {
  const payload = Buffer.alloc(4)
  payload.writeInt32LE(bytes, 0)
  return payload
}

/** A number is encoded as 32 bits. */
function syncPart(part: string | Buffer | number): Buffer {
  if (typeof part !== 'number') return Buffer.from(part)
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(part)
  return bytes
}

describe('the transport', () => {
  it('has one WRTE in flight without delayed_ack, and sends checksums to an old host', async () => {
    const host = await RawHost.connect(phone.port, { version: 0x01000000, maxPayload: 4096 })
    host.send(command.open, 7, 0, 'exec:yes\0')
    const { arg0: id } = await host.next(command.okay)
    const first = await host.next(command.wrte)
    expect([first.arg0, first.arg1]).toEqual([id, 7])
    expect(first.payload.length).toBeLessThanOrEqual(4096)
    await delay(50)
    expect(host.packets).toEqual([])
    host.send(command.okay, 7, id)
    await host.next(command.wrte)
    await delay(30)
    expect(host.packets).toEqual([])
    host.send(command.clse, 7, id)
    expect((await host.next(command.clse)).arg1).toBe(7)
    host.close()
  })

  it('fills the window with delayed_ack, and stops there', async () => {
    const host = await RawHost.connect(phone.port, { features: 'shell_v2,delayed_ack' })
    host.send(command.open, 9, 3000, 'exec:yes\0')
    const okay = await host.next(command.okay)
    expect(okay.payload.readInt32LE(0)).toBeGreaterThan(0)
    const taken = async () => {
      await delay(60)
      return host.packets.splice(0).reduce((sum, packet) => sum + packet.payload.length, 0)
    }
    const before = await taken()
    // A packet may begin while any credit is left; `yes` writes 1024 bytes at a time.
    expect(before).toBe(3072)
    host.send(command.okay, 9, okay.arg0, window(2048))
    expect(await taken()).toBe(2048)
    host.send(command.clse, 9, okay.arg0)
    host.close()
  })

  it('acknowledges read bytes with delayed_ack, and stops when the program does not read', async () => {
    const host = await RawHost.connect(phone.port, { features: 'delayed_ack' })
    host.send(command.open, 3, 1 << 20, 'exec:head -c 5; sleep 5\0')
    const { arg0: id, payload } = await host.next(command.okay)
    const granted = payload.readInt32LE(0)
    const chunk = Buffer.alloc(64 * 1024, 'a')
    for (let sent = 0; sent < granted; sent += chunk.length) host.send(command.wrte, 3, id, chunk)
    await delay(150)
    const acknowledged = host.packets
      .filter((p) => p.command === command.okay)
      .reduce((sum, p) => sum + p.payload.readInt32LE(0), 0)
    // Bytes written to the pipe of a program that has stopped reading; further bytes are held back.
    expect(acknowledged).toBeGreaterThan(0)
    expect(acknowledged).toBeLessThan(granted)
    host.send(command.clse, 3, id)
    host.close()
  })

  it('ends a host that overruns its window', async () => {
    const host = await RawHost.connect(phone.port)
    host.send(command.open, 3, 0, 'exec:sleep 5\0')
    const { arg0: id } = await host.next(command.okay)
    for (let count = 0; count < 20; count++) host.send(command.wrte, 3, id, Buffer.alloc(256 * 1024))
    await host.end()
    expect(faults.splice(0)).toEqual(['ProtocolError: stream window overrun'])
  })

  it('refuses unknown services, and never opens sockets of the machine', async () => {
    const host = await RawHost.connect(phone.port)
    for (const service of [
      'nope:',
      'jdwp:1',
      'track-jdwp',
      'track-app',
      'sideload:5',
      `tcp:${phone.port}`,
      'tcp:22',
      'tcp:80:example.com',
      'localfilesystem:/tmp/x',
      'localabstract:none',
      'dev:/dev/tty',
    ]) {
      host.send(command.open, 5, 0, `${service}\0`)
      const answer = await host.next(command.clse)
      expect([service, answer.arg0, answer.arg1]).toEqual([service, 0, 5])
    }
    host.close()
  })

  it('accepts a host that reconnects without checksums', async () => {
    const host = await RawHost.connect(phone.port)
    const again = await RawHost.connect(phone.port, { sums: false })
    again.send(command.open, 1, 0, 'exec:echo again\0')
    expect((await again.next(command.wrte)).payload.toString()).toBe('again\n')
    expect(faults).toEqual([])
    host.close()
    again.close()
  })

  it('runs service commands without a shell (abb), with unparsed arguments', async () => {
    const host = await RawHost.connect(phone.port, { features: 'shell_v2,abb,abb_exec' })
    const words = ['settings', 'put', 'global', 'mark', `it's "a"  $b *`]
    host.send(command.open, 1, 0, `abb_exec:${words.join('\0')}\0`)
    await host.next(command.okay)
    await host.next(command.clse)
    host.send(command.open, 2, 0, 'abb:settings\0get\0global\0mark\0')
    const { arg0: id } = await host.next(command.okay)
    const line = (await host.next(command.wrte)).payload
    expect([line[0], line.subarray(5).toString()]).toEqual([1, `it's "a"  $b *\n`])
    host.send(command.okay, 2, id)
    const exit = (await host.next(command.wrte)).payload
    expect([exit[0], exit[5]]).toEqual([3, 0])
    host.close()
  })

  it('sends and receives by sync version 2, and refuses compression that it did not announce', async () => {
    const host = await RawHost.connect(phone.port, { features: 'sendrecv_v2' })
    host.send(command.open, 1, 0, 'sync:\0')
    const { arg0: id } = await host.next(command.okay)
    const ask = async (...parts: (string | Buffer | number)[]) => {
      host.send(command.wrte, 1, id, Buffer.concat(parts.map(syncPart)))
      const { payload } = await host.next(command.wrte)
      host.send(command.okay, 1, id)
      return payload
    }
    const path = '/data/local/tmp/v2'
    const sent = ['SND2', path.length, path, 'SND2', 0o100644, 0, 'DATA', 3, 'abc', 'DONE', 1_600_000_000]
    expect((await ask(...sent)).toString('latin1', 0, 4)).toBe('OKAY')
    const received = await ask('RCV2', path.length, path, 'RCV2', 0)
    expect(received.toString('latin1', 0, 4) + received.toString('latin1', 8, 11)).toBe('DATAabc')
    await host.next(command.wrte)
    host.send(command.okay, 1, id)
    for (const flags of [1, 2, 4]) {
      const refused = await ask('RCV2', path.length, path, 'RCV2', flags)
      expect(refused.toString('latin1', 0, 4)).toBe('FAIL')
    }
    host.close()
  })

  it('sends the frame buffer of the screen', async () => {
    const host = await RawHost.connect(phone.port)
    host.send(command.open, 5, 0, 'framebuffer:\0')
    const { arg0: id } = await host.next(command.okay)
    const header = await host.next(command.wrte)
    const fields = Array.from({ length: 14 }, (_, index) => header.payload.readUInt32LE(index * 4))
    expect(fields).toEqual([2, 32, 0, 1080 * 2400 * 4, 1080, 2400, 0, 8, 16, 8, 8, 8, 24, 8])
    let size = 0
    while (size < 1080 * 2400 * 4) {
      host.send(command.okay, 5, id)
      size += (await host.next(command.wrte)).payload.length
    }
    expect(size).toBe(1080 * 2400 * 4)
    host.send(command.okay, 5, id)
    host.close()
  })

  it('survives arbitrary bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 24, maxLength: 200 }), async (bytes) => {
        const host = await RawHost.connect(phone.port)
        host.socket.write(bytes)
        host.socket.end()
        await host.end()
      }),
      { numRuns: 30 },
    )
    faults.splice(0)
    const host = await RawHost.connect(phone.port)
    host.send(command.open, 1, 0, 'exec:echo alive\0')
    expect((await host.next(command.wrte)).payload.toString()).toBe('alive\n')
    host.close()
  })
})
