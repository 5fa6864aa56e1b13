/**
 * For tests: a proxy between the adb server and a phone that passes every byte on, and records each service that the
 * host opens (ADB's `A_OPEN`, AOSP `adb/protocol.txt`), so that a test can verify which services reached a phone. The
 * proxy can also cut the connection.
 */
import { connect, createServer, type Socket } from 'node:net'

export interface AdbProxy {
  port: number
  /** Service names, such as `shell,v2,raw:getprop`. */
  readonly opened: string[]
  /** Drops every connection, and refuses new connections until `restore`. */
  cut(): void
  restore(): void
  /** Stops all bytes on existing connections, which stay open. New connections work. */
  freeze(): void
  /**
   * When the host next opens a service whose name contains this text, the phone's connection receives nothing
   * more. Applies once.
   */
  muteAt(containing: string): void
  /**
   * Replaces everything that the phone sends on services that are opened later and whose name contains this text. `by`
   * changes the bytes; default: all become 255.
   */
  garble(containing: string, by?: (content: Buffer) => void): void
  close(): Promise<void>
}

/** Commands (AOSP `adb/protocol.txt`). */
const open = 0x4e45504f
const write = 0x45545257

/** Splits a stream of ADB's messages, and passes on the result of `change` for each message. */
function eachMessage(change: (message: Buffer) => void): (chunk: Buffer) => Buffer {
  let pending: Buffer = Buffer.alloc(0)
  return (chunk) => {
    pending = Buffer.concat([pending, chunk])
    let end = 0
    for (;;) {
      const next = end + 24 + (pending.length >= end + 24 ? pending.readUInt32LE(end + 12) : 0)
      if (pending.length < end + 24 || pending.length < next) break
      change(pending.subarray(end, next))
      end = next
    }
    const whole = pending.subarray(0, end)
    pending = pending.subarray(end)
    return whole
  }
}

export async function startAdbProxy(target: number): Promise<AdbProxy> {
  const opened: string[] = []
  const sockets = new Set<Socket>()
  let isCut = false
  const frozen = new WeakSet<Socket>()
  let muting: string | null = null
  let garbled: { containing: string; by: (content: Buffer) => void } | null = null
  const server = createServer((host) => {
    if (isCut) {
      host.destroy()
      return
    }
    const phone = connect({ port: target, host: '127.0.0.1', noDelay: true })
    host.setNoDelay(true)
    /** The host's IDs of streams whose content is replaced. */
    const spoiled = new Set<number>()
    const spoil = eachMessage((message) => {
      if (message.readUInt32LE(0) === write && spoiled.has(message.readUInt32LE(8)))
        garbled?.by(message.subarray(24))
    })
    const asItIs = (chunk: Buffer): Buffer => chunk
    for (const [one, other, change] of [
      [host, phone, asItIs],
      [phone, host, spoil],
    ] as const) {
      sockets.add(one)
      one.on('data', (chunk: Buffer) => {
        if (!frozen.has(one)) other.write(change(chunk))
      })
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.on('error', () => other.destroy())
    }
    const record = eachMessage((message) => {
      if (message.readUInt32LE(0) !== open) return
      const service = message.toString('utf8', 24).replace(/\0+$/, '')
      opened.push(service)
      if (muting !== null && service.includes(muting)) {
        frozen.add(phone)
        muting = null
      }
      if (garbled !== null && service.includes(garbled.containing)) spoiled.add(message.readUInt32LE(4))
    })
    host.on('data', record)
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address !== null && typeof address === 'object') resolve(address.port)
      else reject(new Error('no port'))
    })
  })
  const dropAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port,
    opened,
    cut() {
      isCut = true
      dropAll()
    },
    freeze() {
      for (const socket of sockets) frozen.add(socket)
    },
    muteAt(containing) {
      muting = containing
    },
    garble(containing, by = (content) => content.fill(255)) {
      garbled = { containing, by }
    },
    restore() {
      isCut = false
    },
    close() {
      dropAll()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
