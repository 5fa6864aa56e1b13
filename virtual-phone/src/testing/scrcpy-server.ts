/** For tests: a scrcpy server on a world without a phone around it, and a client's side of its sockets. */
import { PhoneSockets } from '../android/sockets.js'
import { emptySource, Pipe, readAll, type Duplex } from '../android/streams.js'
import { runScrcpyServer } from '../scrcpy/index.js'
import { makeWorld } from '../ui/index.js'

export interface Running {
  sockets: PhoneSockets
  world: ReturnType<typeof makeWorld>
  exit: Promise<number>
  abort: () => void
  printed: () => Promise<{ stdout: string; stderr: string }>
  removed: () => boolean
}

export async function stopServers(running: Running[]): Promise<void> {
  for (const server of running.splice(0)) {
    server.abort()
    await server.exit
    server.world.close()
  }
}

/** @param version of the client; `server` is the version of the pushed jar */
export function startServer(
  line: string,
  { version = '3.3.3', server = '3.3.3', sockets = new PhoneSockets() } = {},
): Running {
  // The clock in the status bar must not change a still screen.
  const world = makeWorld({ now: () => new Date('2026-01-05T10:20:00Z') })
  const [stdout, stderr] = [new Pipe(), new Pipe()]
  const abort = new AbortController()
  let removed = false
  const exit = runScrcpyServer({
    args: [version, ...line.split(' ').filter((word) => word !== '')],
    sockets,
    world,
    model: 'Virtual Phone',
    serverVersion: server,
    uptimeMs: () => performance.now(),
    removeJar: () => {
      removed = true
      return Promise.resolve()
    },
    stdin: emptySource,
    stdout,
    stderr,
    signal: abort.signal,
  })
  const printed = async (): Promise<{ stdout: string; stderr: string }> => {
    await exit
    stdout.end()
    stderr.end()
    return { stdout: (await readAll(stdout)).toString(), stderr: (await readAll(stderr)).toString() }
  }
  return { sockets, world, exit, abort: () => abort.abort(), printed, removed: () => removed }
}

/** The client's side of a socket. */
export class Client {
  private held = Buffer.alloc(0)
  constructor(readonly stream: Duplex) {}

  async read(length: number): Promise<Buffer> {
    while (this.held.length < length) {
      const chunk = await this.stream.read()
      if (chunk === null) throw new Error('The server closed the socket')
      this.held = Buffer.concat([this.held, chunk])
    }
    const part = this.held.subarray(0, length)
    this.held = this.held.subarray(length)
    return part
  }

  send(hex: string): Promise<void> {
    return this.stream.write(Buffer.from(hex.replace(/\s/g, ''), 'hex'))
  }

  /** Sends SET_CLIPBOARD and waits for its acknowledgement, so that all earlier messages were handled. */
  async setClipboard(text: string, paste: boolean): Promise<void> {
    const raw = Buffer.from(text)
    await this.send(
      `09 0000000000000007 ${paste ? '01' : '00'} ${raw.length.toString(16).padStart(8, '0')} ${raw.toString('hex')}`,
    )
    const ack = (await this.read(9)).toString('hex')
    if (ack !== '010000000000000007') throw new Error(`Not the acknowledgement: ${ack}`)
  }
}

/** Opens the next socket of a server started with `scid=2a tunnel_forward=true`. */
export async function connect(server: Running): Promise<Client> {
  for (let i = 0; i < 50 && !server.sockets.has('localabstract:scrcpy_0000002a'); i++)
    await new Promise((resolve) => setImmediate(resolve))
  return new Client(await server.sockets.connect('localabstract:scrcpy_0000002a'))
}
