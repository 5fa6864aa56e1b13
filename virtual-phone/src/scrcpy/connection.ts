/**
 * Opens the sockets of one scrcpy client, in the order video, audio, control (`DesktopConnection`): as
 * listener with `tunnel_forward`, otherwise by connecting to the client's reverse tunnel.
 */
import { type PhoneSockets } from '../android/sockets.js'
import { type Duplex } from '../android/streams.js'
import { socketName, type ScrcpyOptions } from './options.js'

interface DesktopConnection {
  video: Duplex | null
  audio: Duplex | null
  control: Duplex | null
  all: readonly Duplex[]
}

/** Accepts `count` connections, one after the other, then stops listening. */
function accept(
  sockets: PhoneSockets,
  address: string,
  count: number,
  dummyByte: boolean,
  signal: AbortSignal,
): Promise<Duplex[]> {
  return new Promise((resolve, reject) => {
    const taken: Duplex[] = []
    const end = (): void => {
      stop()
      signal.removeEventListener('abort', abort)
    }
    const fail = (error: Error): void => {
      end()
      for (const stream of taken) stream.close()
      reject(error)
    }
    const abort = (): void => {
      fail(new Error('The server was stopped before a client connected'))
    }
    const stop = sockets.listen(address, (stream) => {
      taken.push(stream)
      // A client reads one byte of the first socket before it opens the next, to check that the tunnel's other end exists.
      if (dummyByte && taken.length === 1) stream.write(Buffer.from([0])).catch(fail)
      if (taken.length < count) return
      end()
      resolve(taken)
    })
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}

export async function openConnection(
  sockets: PhoneSockets,
  options: ScrcpyOptions,
  signal: AbortSignal,
): Promise<DesktopConnection> {
  const address = `localabstract:${socketName(options.scid)}`
  const wanted = [options.video, options.audio, options.control].filter(Boolean).length
  const all: Duplex[] = []
  if (options.tunnelForward) {
    if (wanted > 0) all.push(...(await accept(sockets, address, wanted, options.sendDummyByte, signal)))
  } else {
    try {
      while (all.length < wanted) all.push(await sockets.connect(address))
    } catch (error) {
      for (const stream of all) stream.close()
      throw error
    }
  }
  const given = [...all]
  const next = (open: boolean): Duplex | null => (open ? (given.shift() ?? null) : null)
  return { video: next(options.video), audio: next(options.audio), control: next(options.control), all }
}
