/**
 * For tests: a proxy between the adb server and a phone that passes every byte on, and
 * records each service that the host opens (ADB's `A_OPEN`, AOSP `adb/protocol.txt`),
 * so that a test sees what really reached a phone. It can also cut the connection.
 */
import { connect, createServer, type Socket } from 'node:net'

export interface AdbProxy {
  port: number
  /** Service names, such as `shell,v2,raw:getprop`. */
  readonly opened: string[]
  /** Drops every connection; new ones are refused until `restore`. */
  cut(): void
  restore(): void
  /** From now on nothing passes on existing connections: they stay open and silent. New ones work. */
  freeze(): void
  /**
   * Once, when the host opens a service whose name contains this: that connection's
   * host receives nothing more.
   */
  muteAt(containing: string): void
  close(): Promise<void>
}

const open = 0x4e45504f

export async function startAdbProxy(target: number): Promise<AdbProxy> {
  const opened: string[] = []
  const sockets = new Set<Socket>()
  let isCut = false
  const frozen = new WeakSet<Socket>()
  let muting: string | null = null
  const server = createServer((host) => {
    if (isCut) {
      host.destroy()
      return
    }
    const phone = connect({ port: target, host: '127.0.0.1', noDelay: true })
    host.setNoDelay(true)
    for (const [one, other] of [
      [host, phone],
      [phone, host],
    ] as const) {
      sockets.add(one)
      one.on('data', (chunk: Buffer) => {
        if (!frozen.has(one)) other.write(chunk)
      })
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.on('error', () => other.destroy())
    }
    let pending: Buffer = Buffer.alloc(0)
    host.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk])
      while (pending.length >= 24 && pending.length >= 24 + pending.readUInt32LE(12)) {
        const end = 24 + pending.readUInt32LE(12)
        if (pending.readUInt32LE(0) === open) {
          const service = pending.toString('utf8', 24, end).replace(/\0+$/, '')
          opened.push(service)
          if (muting !== null && service.includes(muting)) {
            frozen.add(phone)
            muting = null
          }
        }
        pending = pending.subarray(end)
      }
    })
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
    restore() {
      isCut = false
    },
    close() {
      dropAll()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
