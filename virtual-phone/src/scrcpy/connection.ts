/**
 * Opens the sockets of one scrcpy client, in the order audio, control
 * (`DesktopConnection` of 3.3.3): as listener with `tunnel_forward`, else by
 * connecting to the client's reverse tunnel.
 */
import { type PhoneSockets } from '../android/sockets.js'
import { type Duplex } from '../android/streams.js'
import { socketName, type ScrcpyOptions } from './options.js'

export interface DesktopConnection {
  audio: Duplex | null
  control: Duplex | null
  all: readonly Duplex[]
}

/** Takes `count` connections, one after the other, then stops listening. */
function accept(
  sockets: PhoneSockets,
  address: string,
  count: number,
  signal: AbortSignal,
): Promise<Duplex[]> {
  return new Promise((resolve, reject) => {
    const taken: Duplex[] = []
    const stop = sockets.listen(address, (stream) => {
      taken.push(stream)
      if (taken.length < count) return
      stop()
      signal.removeEventListener('abort', abort)
      resolve(taken)
    })
    const abort = (): void => {
      stop()
      for (const stream of taken) stream.close()
      reject(new Error('The server was stopped before a client connected'))
    }
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
  const wanted = [options.audio, options.control].filter(Boolean).length
  const all: Duplex[] = []
  if (options.tunnelForward) {
    if (wanted > 0) all.push(...(await accept(sockets, address, wanted, signal)))
    // The client reads one byte to see that the tunnel's far end is there.
    if (options.sendDummyByte) await all[0]?.write(Buffer.from([0]))
  } else {
    try {
      while (all.length < wanted) all.push(await sockets.connect(address))
    } catch (error) {
      for (const stream of all) stream.close()
      throw error
    }
  }
  const audio = options.audio ? (all[0] ?? null) : null
  return { audio, control: options.control ? (all.at(-1) ?? null) : null, all }
}
