/** The sync service with a server that sends an endless listing or invalid data. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Progress } from '@phonerack/shared'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openSocket } from './connect.js'
import { AdbProtocolError } from './errors.js'
import type { AdbSocket } from './socket.js'
import { listFolder, type FolderEntry } from './sync.js'

let dir: string
let server: Server
let onConnection: (socket: Socket) => void
beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'phonerack-sync-'))
  server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    onConnection(socket)
  })
  server.listen(path.join(dir, 'adb'))
  await once(server, 'listening')
})
afterEach(() => {
  vi.restoreAllMocks()
  server.close()
  rmSync(dir, { recursive: true, force: true })
})
const open = (): Promise<AdbSocket> => openSocket(path.join(dir, 'adb'), 'a test', Progress.for(20_000))

/** An entry of version 1. */
function entry(name: string, length = Buffer.byteLength(name)): Buffer {
  const head = Buffer.alloc(20)
  head.write('DENT', 0, 'latin1')
  head.writeUInt32LE(0o100644, 4)
  head.writeUInt32LE(7, 8)
  head.writeUInt32LE(length, 16)
  return Buffer.concat([head, Buffer.from(name)])
}
const done = Buffer.alloc(20)
done.write('DONE', 0, 'latin1')

it('copies no byte of a long listing more than once', async () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `file ${index}`)
  const bytes = Buffer.concat([...names.map((name) => entry(name)), done])
  onConnection = (socket) => socket.end(bytes)
  const socket = await open()
  // The whole listing has arrived before the first read.
  await new Promise<void>((resolve) => socket.onClose(resolve))
  const concat = Buffer.concat.bind(Buffer)
  let copied = 0
  vi.spyOn(Buffer, 'concat').mockImplementation((parts, length) => {
    const whole = concat(parts, length)
    copied += whole.length
    return whole
  })
  const listed: FolderEntry[] = []
  await listFolder(readOnly(socket), '/sdcard', 1, (each) => listed.push(each) > 0)
  expect(listed.map(({ name }) => name)).toEqual(names)
  expect(copied).toBeLessThan(bytes.length)
})

it('stops reading an endless listing when `visit` returns false', async () => {
  let isOpen = true
  onConnection = (socket) => {
    const many = Buffer.concat(Array.from({ length: 1000 }, (_, index) => entry(`file ${index}`)))
    const send = (): void => {
      while (isOpen && socket.write(many));
    }
    socket.on('drain', send)
    socket.on('close', () => (isOpen = false))
    socket.once('data', send)
  }
  const socket = await open()
  let seen = 0
  await listFolder(socket, '/sdcard', 1, () => (seen += 1) < 5000)
  expect(seen).toBe(5000)
  socket.close()
})

it('rejects a name that is too long without reading it', async () => {
  onConnection = (socket) => void socket.once('data', () => socket.write(entry('short', 0xffff_fff0)))
  const socket = await open()
  await expect(listFolder(socket, '/sdcard', 1, () => true)).rejects.toThrow(AdbProtocolError)
  socket.close()
})

/** The server has hung up: writes are discarded. */
function readOnly(socket: AdbSocket): AdbSocket {
  vi.spyOn(socket, 'write').mockResolvedValue(undefined)
  return socket
}
