/**
 * The method closest to scrcpy's client that runs without a display: plain `adb` starts scrcpy's released
 * server, `adb forward` reads its video socket, and ffmpeg decodes the video. Used by the bench of the live
 * view.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { plainAdb, type PlainAdb } from '@phonerack/e2e/system/plain-adb.js'
import { type Place } from './live-page.js'

const folder = '/data/local/tmp/phonerack'
const name = 'scrcpy_0a0b0c0d'

export interface PlainVideo {
  /**
   * Milliseconds from the phone's drawing until the encoded picture arrived, and until it was decoded. The
   * decoded figure is one picture late, since ffmpeg's parser completes a picture only when it gets the next
   * picture.
   */
  arrived: number[]
  decoded: number[]
  /** Milliseconds from the start of the server until the first picture was decoded. */
  startMs: number
}

/** Watches the blocks of time for `seconds`. @param serial for `adb connect` */
export async function watchPlainly(serial: string, place: Place, seconds: number): Promise<PlainVideo> {
  const adb = await plainAdb(serial)
  try {
    return await film(adb, serial, place, seconds)
  } finally {
    await adb.stop()
  }
}

async function film(adb: PlainAdb, serial: string, place: Place, seconds: number): Promise<PlainVideo> {
  const jar = (await adb.run('shell', 'ls', folder)).toString().trim().split('\n').at(-1)
  if (!jar) throw new Error('the agent has put no server on the phone')
  const port = Number((await adb.run('forward', 'tcp:0', `localabstract:${name}`)).toString())
  const startedAt = Date.now()
  const options =
    'scid=0a0b0c0d tunnel_forward=true cleanup=false audio=false control=false ' +
    'max_size=1280 max_fps=30 video_bit_rate=4000000'
  const start = `CLASSPATH=${folder}/${jar} app_process / com.genymobile.scrcpy.Server 3.3.3 ${options}`
  const server = spawn('adb', ['-s', serial, 'shell', start], { env: adb.env, stdio: 'ignore' })
  const { socket, read } = await connected(port)
  const found: PlainVideo = { arrived: [], decoded: [], startMs: 0 }
  try {
    const head = await read(64 + 12)
    const [width, height] = [head.readUInt32BE(64 + 4), head.readUInt32BE(64 + 8)]
    const decoder = decode(width, height, place)
    const arrivals: number[] = []
    const isOver = () => Date.now() - startedAt > seconds * 1000
    decoder.onPicture((blocks) => {
      const now = Date.now()
      const arrivedAt = arrivals.shift() ?? now
      if (found.startMs === 0) found.startMs = now - startedAt
      const time = timeOf(blocks)
      if (time === null) return
      found.arrived.push(arrivedAt - fullTime(time, now))
      found.decoded.push(now - fullTime(time, now))
    })
    while (!isOver()) {
      const header = await read(12)
      const data = await read(header.readUInt32BE(8))
      const isConfig = (header.readUInt32BE(0) & 0x80000000) !== 0
      if (!isConfig) arrivals.push(Date.now())
      decoder.write(data)
    }
    await decoder.end()
  } finally {
    socket.destroy()
    server.kill()
    await adb.run('forward', '--remove', `tcp:${port}`)
  }
  return found
}

type Read = (length: number) => Promise<Buffer>

/** Reads exactly that many bytes. @throws Error when the stream ends earlier */
function readerOf(socket: Socket): Read {
  const chunks = socket[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  return async (length) => {
    while (held.length < length) {
      const next = (await chunks.next()) as IteratorResult<Buffer>
      if (next.done === true) throw new Error('the video ended')
      held = Buffer.concat([held, next.value])
    }
    const data = held.subarray(0, length)
    held = held.subarray(length)
    return data
  }
}

/** Waits for the zero byte with which the server reports that it runs: adb accepts connections earlier. */
async function connected(port: number): Promise<{ socket: Socket; read: Read }> {
  const failures: unknown[] = []
  for (const until = Date.now() + 30_000; Date.now() < until;) {
    const socket = connect(port, '127.0.0.1')
    const read = readerOf(socket)
    try {
      await read(1)
      return { socket, read }
    } catch (error) {
      failures.push(error)
      socket.destroy()
    }
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  throw new AggregateError(failures.slice(-1), 'the server on the phone did not start')
}

/** Starts ffmpeg, which scales each picture to six by eight pixels, one per block. */
function decode(width: number, height: number, { left, top, right, bottom }: Place) {
  const [w, h] = [Math.round((right - left) * width), Math.round((bottom - top) * height)]
  const crop = `crop=${w}:${h}:${Math.round(left * width)}:${Math.round(top * height)}`
  const child = spawn(
    process.env['FFMPEG_BIN'] ?? 'ffmpeg',
    [
      ...['-loglevel', 'fatal', '-flags', 'low_delay', '-threads', '1', '-probesize', '4096'],
      ...['-f', 'h264', '-i', 'pipe:0', '-vsync', 'passthrough'],
      ...['-vf', `${crop},format=gray,scale=6:8:flags=neighbor`],
      ...['-flush_packets', '1', '-f', 'rawvideo', 'pipe:1'],
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  let held: Buffer = Buffer.alloc(0)
  return {
    onPicture(listener: (blocks: Buffer) => void): void {
      child.stdout.on('data', (chunk: Buffer) => {
        for (held = Buffer.concat([held, chunk]); held.length >= 48; held = held.subarray(48))
          listener(held.subarray(0, 48))
      })
    },
    write: (data: Buffer) => void child.stdin.write(data),
    async end(): Promise<void> {
      child.stdin.end()
      await once(child, 'close')
    },
  }
}

/**
 * Reads the time; see `virtual-phone/src/ui/apps/time-blocks.ts`. Null if the blocks are not a valid time.
 */
function timeOf(blocks: Buffer): number | null {
  const value = blocks.reduce((sum, each) => sum * 2 + (each > 127 ? 1 : 0), 0)
  const time = Math.floor(value / 256)
  let sum = 0
  for (let rest = time; rest > 0; rest = Math.floor(rest / 256)) sum += rest % 256
  return sum % 256 === value % 256 ? time : null
}

const fullTime = (time: number, now: number): number => now - ((now - time) % 2 ** 40)
