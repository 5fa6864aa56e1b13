/**
 * Sends in minutes what a filming phone sends in hours: a film in a loop on a scrcpy
 * video socket, with times that run `speed` times as fast. Used by `main.ts`.
 */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { videoHeaderBytes } from '../../capture/video-socket.js'
import { later } from '../../base/later.js'
import type { Film } from './film.js'

const bits = { config: 1n << 63n, key: 1n << 62n }
/**
 * Milliseconds between checks for due frames, and by which the phone's clock is delayed, so that a stall of
 * the recorder never makes that clock run ahead.
 */
const times = { tick: 10, behind: 3000 }

function packet(flags: bigint, data: Buffer): Buffer {
  const head = Buffer.alloc(videoHeaderBytes)
  head.writeBigUInt64BE(flags)
  head.writeUInt32BE(data.length, 8)
  return Buffer.concat([head, data])
}

interface Showing {
  film: Film
  /** The frames in total, and per second of the phone's clock. */
  frames: number
  rate: number
  speed: number
}

interface FilmPhone {
  /** Resolves when every frame was sent. @throws Error when the reader disconnects earlier */
  readonly shown: Promise<void>
  close(): void
}

/** Serves the first client of the Unix socket at `path`. */
export async function startFilmPhone(path: string, showing: Showing): Promise<FilmPhone> {
  const shown = later<Promise<void>>()
  const server = createServer((socket) => shown.resolve(show(socket, showing)))
  server.listen(path)
  await once(server, 'listening')
  return { shown: shown.promise.then((all) => all), close: () => void server.close() }
}

async function show(socket: Socket, { film, frames, rate, speed }: Showing): Promise<void> {
  const gone = new AbortController()
  socket.on('error', () => gone.abort()).on('close', () => gone.abort())
  const send = async (bytes: Buffer): Promise<void> => {
    if (!socket.write(bytes)) await once(socket, 'drain', { signal: gone.signal })
  }
  await send(packet(bits.config, film.config.parameterSets))
  const startedAt = performance.now()
  for (let sent = 0; sent < frames;) {
    const phoneMs = (performance.now() - startedAt - times.behind) * speed
    const due = Math.min(frames, Math.max(1, Math.floor((phoneMs * rate) / 1000) + 1))
    for (; sent < due; sent += 1) {
      const at = sent % film.units.length
      const data = film.units[at]
      if (!data) throw new Error('the film is empty')
      const ptsUs = BigInt(Math.round((sent * 1e6) / rate))
      await send(packet(ptsUs | (at === 0 ? bits.key : 0n), data))
    }
    await new Promise((resolve) => setTimeout(resolve, times.tick))
  }
}
