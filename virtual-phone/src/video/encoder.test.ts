import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { transformWithOxc } from 'vite'
import { afterEach, describe, expect, it } from 'vitest'
import { decodeH264, distance, sizeOf } from '../testing/pictures.js'
import { EncoderError, H264Encoder, type EncoderOptions } from './encoder.js'
import { ffmpegPath } from './ffmpeg.js'
import { type VideoPacket } from './flv.js'

const OPTIONS: EncoderOptions = {
  ffmpeg: ffmpegPath(),
  source: { width: 320, height: 240 },
  size: { width: 160, height: 120 },
  bitRate: 2_000_000,
  keyFrameSeconds: 10,
}

const started: H264Encoder[] = []
afterEach(async () => {
  for (const encoder of started.splice(0)) {
    encoder.close()
    await encoder.ended
  }
})

function start(options: Partial<EncoderOptions> = {}): H264Encoder {
  const encoder = new H264Encoder({ ...OPTIONS, ...options })
  started.push(encoder)
  return encoder
}

/** One colour, RGBA. */
function picture(red: number, green: number, blue: number): Buffer {
  return Buffer.alloc(320 * 240 * 4, Buffer.from([red, green, blue, 255]))
}

describe('the H.264 encoder', () => {
  it('returns one packet per picture without delay, the first after the parameter sets', async () => {
    const encoder = start()
    const colours: [number, number, number][] = [
      [200, 30, 30],
      [30, 200, 30],
      [30, 30, 200],
    ]
    const packets: VideoPacket[][] = []
    for (const colour of colours) packets.push(await encoder.encode(picture(...colour)))
    expect(packets.map((group) => group.map(({ config, key }) => ({ config, key })))).toEqual([
      [
        { config: true, key: false },
        { config: false, key: true },
      ],
      [{ config: false, key: false }],
      [{ config: false, key: false }],
    ])
    const stream = Buffer.concat(packets.flat().map(({ data }) => data))
    expect(await sizeOf(stream)).toEqual({ width: 160, height: 120 })
    const decoded = await decodeH264(stream, { width: 16, height: 16 })
    expect(decoded).toHaveLength(3)
    for (const [i, colour] of colours.entries())
      expect(
        distance(decoded[i] ?? Buffer.alloc(0), Buffer.alloc(16 * 16 * 3, Buffer.from(colour))),
      ).toBeLessThan(8)
  })

  it('makes each picture a key frame on request', async () => {
    const encoder = start({ keyFrameSeconds: 0 })
    const keys = []
    for (let i = 0; i < 3; i++) keys.push((await encoder.encode(picture(i, i, i))).at(-1)?.key)
    expect(keys).toEqual([true, true, true])
  })

  it('reports why it failed', async () => {
    await expect(start({ ffmpeg: '/nowhere/ffmpeg' }).encode(picture(0, 0, 0))).rejects.toThrow('ENOENT')
    await expect(start({ size: { width: 161, height: 121 } }).encode(picture(0, 0, 0))).rejects.toThrow(
      EncoderError,
    )
  })

  it('rejects pending and later pictures when it is closed, and ends its process', async () => {
    const encoder = start()
    const waiting = encoder.encode(picture(0, 0, 0))
    encoder.close()
    await expect(waiting).rejects.toThrow('The encoder was closed')
    await expect(encoder.encode(picture(0, 0, 0))).rejects.toThrow('The encoder was closed')
    await encoder.ended
    expect(isAlive(encoder.pid ?? 0)).toBe(false)
  })

  it('ends when its parent process is killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-encoder-'))
    try {
      const child = spawn(process.execPath, [await program(folder)], { stdio: ['ignore', 'pipe', 'inherit'] })
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      const pid = Number(line.toString())
      expect(isAlive(pid)).toBe(true)
      child.kill('SIGKILL')
      for (let i = 0; i < 100 && isAlive(pid); i++) await delay(50)
      expect(isAlive(pid)).toBe(false)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

/** A separate program that encodes one picture, prints the encoder's process ID, and keeps running. */
async function program(folder: string): Promise<string> {
  const here = dirname(fileURLToPath(import.meta.url))
  for (const name of ['encoder', 'flv', 'size']) {
    const source = readFileSync(join(here, `${name}.ts`), 'utf8')
    const { code } = await transformWithOxc(source, `${name}.ts`)
    writeFileSync(join(folder, `${name}.js`), code)
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const path = join(folder, 'main.js')
  writeFileSync(
    path,
    `import { H264Encoder } from './encoder.js'
const encoder = new H264Encoder(${JSON.stringify(OPTIONS)})
await encoder.encode(Buffer.alloc(320 * 240 * 4))
process.stdout.write(String(encoder.pid))
setInterval(() => encoder.encode(Buffer.alloc(320 * 240 * 4)), 1000)
`,
  )
  return path
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie process has ended.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'ENOENT'))
      return false
    throw error
  }
}
