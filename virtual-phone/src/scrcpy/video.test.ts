import { execFileSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { decodeH264, distance, pngToRgb, sizeOf } from '../testing/pictures.js'
import { connect, startServer, stopServers, type Client, type Running } from '../testing/scrcpy-server.js'
import { launch } from '../testing/ui-tree.js'

const COMMON =
  'scid=2a log_level=verbose audio=false tunnel_forward=true cleanup=false clipboard_autosync=false power_on=false max_size=640'

const running: Running[] = []
afterEach(() => stopServers(running))

interface Packet {
  config: boolean
  key: boolean
  pts: bigint
  data: Buffer
}

/** The client's side of the video socket, after the head was read. */
class Video {
  constructor(
    readonly client: Client,
    private readonly version: string,
  ) {}

  /** The size of the next session packet of 4.1. Earlier pictures belong to the earlier encoder. */
  async session(): Promise<[number, number]> {
    for (;;) {
      const header = await this.client.read(12)
      if (header.readUInt32BE(0) === 0x80000000) return [header.readUInt32BE(4), header.readUInt32BE(8)]
      await this.client.read(header.readUInt32BE(8))
    }
  }

  async packet(): Promise<Packet> {
    const header = await this.client.read(12)
    const flags = header.readBigUInt64BE(0)
    const top = this.version === '3.3.3' ? 63n : 62n
    const data = await this.client.read(header.readUInt32BE(8))
    return {
      config: (flags & (1n << top)) !== 0n,
      key: (flags & (1n << (top - 1n))) !== 0n,
      pts: flags & ((1n << (top - 1n)) - 1n),
      data,
    }
  }

  /** A config packet and the key frame after it. Earlier pictures belong to the earlier encoder. */
  async restart(): Promise<[Packet, Packet]> {
    for (;;) {
      const config = await this.packet()
      if (config.config) return [config, await this.packet()]
    }
  }

  /** Resolves with the received packets when no packet arrived for `ms`. */
  async untilStill(ms: number): Promise<Packet[]> {
    const packets: Packet[] = []
    for (;;) {
      const next = this.packet()
      const packet = await Promise.race([next, delay(ms, null)])
      if (packet === null) {
        this.pending = next
        return packets
      }
      packets.push(packet)
    }
  }

  /** The packet that `untilStill` expected. */
  pending: Promise<Packet> | null = null
}

async function open(
  options = '',
  version = '3.3.3',
): Promise<{ server: Running; video: Video; control: Client }> {
  const server = startServer(`${COMMON} ${options}`, { version, server: version })
  running.push(server)
  const video = await connect(server)
  const control = await connect(server)
  return { server, video: new Video(video, version), control }
}

const touch = (x: number, y: number, width: number, height: number): string => {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
  return `02 00 0000000000000001 ${hex(x, 8)} ${hex(y, 8)} ${hex(width, 4)} ${hex(height, 4)} ffff 00000000 00000000`
}

describe('the video of scrcpy 3.3.3', () => {
  it('begins with dummy byte, name, codec and size; then config packet and key frame', async () => {
    const { video } = await open()
    expect((await video.client.read(1)).toString('hex')).toBe('00')
    expect((await video.client.read(64)).toString('utf8')).toMatch(/^Virtual Phone\0+$/)
    // "h264", 288, 640
    expect((await video.client.read(12)).toString('hex')).toBe('683236340000012000000280')
    const header = await video.client.read(12)
    expect(header.toString('hex', 0, 8)).toBe('8000000000000000')
    const config = await video.client.read(header.readUInt32BE(8))
    // Start code and SPS (NAL type 7).
    expect(config.toString('hex', 0, 4)).toBe('00000001')
    expect((config[4] ?? 0) & 0x1f).toBe(7)
    const frame = await video.client.read(12)
    expect(frame.readUInt8(0) >> 6).toBe(0b01)
    expect(await sizeOf(Buffer.concat([config, await video.client.read(frame.readUInt32BE(8))]))).toEqual({
      width: 288,
      height: 640,
    })
  })

  it('matches screencap, and sends no packets on a still screen after ten repeats', async () => {
    const { server, video } = await open('send_dummy_byte=false send_device_meta=false')
    await video.client.read(12)
    // Parameter sets, a key frame, and ten repeats of its picture, however long the encoder takes to start.
    const first = [...(await video.restart()), await video.packet(), ...(await video.untilStill(1500))]
    expect(first.map(({ config, key }) => [config, key])).toEqual([
      [true, false],
      [false, true],
      ...Array.from({ length: 10 }, () => [false, false]),
    ])
    expect(first[2]?.pts).toBeGreaterThan(first[1]?.pts ?? 0n)
    launch(server.world, 'com.android.contacts')
    const next = await video.pending
    if (!next) throw new Error('nothing is read')
    const later = [next, ...(await video.untilStill(1500))]
    expect(later.some((packet) => packet.config)).toBe(false)
    const size = { width: 288, height: 640 }
    const pictures = await decodeH264(Buffer.concat([...first, ...later].map(({ data }) => data)), size)
    const [before, after] = [pictures[0], pictures.at(-1)]
    if (!before || !after) throw new Error('no picture')
    const shown = await pngToRgb(await server.world.screenshotPng(), size)
    expect(distance(after, shown)).toBeLessThan(4)
    expect(distance(before, shown)).toBeGreaterThan(20)
  })

  it('sends parameter sets and a key frame for RESET_VIDEO on a still screen', async () => {
    const { server, video, control } = await open('send_dummy_byte=false send_device_meta=false')
    await video.client.read(12)
    const [config] = await video.restart()
    await control.send('11')
    const [again, key] = await video.restart()
    expect(again.data.equals(config.data)).toBe(true)
    expect(key.key).toBe(true)
    server.abort()
    expect((await server.printed()).stdout).toContain('[server] INFO: Video capture reset\n')
  })

  it('rotates with the display: sends new parameter sets, and drops touches for the old size', async () => {
    const { server, video, control } = await open('send_dummy_byte=false send_device_meta=false')
    await video.client.read(12)
    await video.restart()
    const touches: number[][] = []
    const handle = server.world.touch.bind(server.world)
    server.world.touch = (action, id, x, y) => {
      touches.push([x, y])
      handle(action, id, x, y)
    }
    await control.send(touch(144, 320, 288, 640))
    await control.send(touch(144, 320, 640, 288))
    await control.setClipboard('1', false)
    expect(touches).toEqual([[540, 1200]])
    await control.send('0b')
    const [config, key] = await video.restart()
    expect(await sizeOf(Buffer.concat([config.data, key.data]))).toEqual({ width: 640, height: 288 })
    await control.send(touch(144, 320, 288, 640))
    await control.send(touch(320, 144, 640, 288))
    await control.setClipboard('2', false)
    expect(touches.slice(1)).toEqual([[1200, 540]])
  })

  it('respects max_fps while the screen moves, with increasing timestamps', async () => {
    const { server, video } = await open('send_dummy_byte=false send_device_meta=false max_fps=5')
    await video.client.read(12)
    await video.restart()
    launch(server.world, 'com.android.contacts')
    const moving = setInterval(() => server.world.scroll(540, 1200, 0, -1), 20)
    try {
      const packets: Packet[] = []
      while (packets.length < 6) packets.push(await video.packet())
      const times = packets.map(({ pts }) => Number(pts))
      expect(times).toEqual([...times].sort((a, b) => a - b))
      // Six pictures at five a second take one second, and the first picture can be late. Without the limit,
      // they take 100 ms.
      expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(750_000)
    } finally {
      clearInterval(moving)
    }
  })

  it('can omit everything except H.264', async () => {
    const { video } = await open('raw_stream=true')
    expect((await video.client.read(5)).toString('hex')).toBe('0000000167')
  })

  it.each([
    [
      'video_codec=h265',
      'Could not create default video encoder for h265\nList of video encoders:\n    --video-codec=h264',
    ],
    ['video_encoder=nope', "Video encoder 'nope' for h264 not found"],
    ['crop=1:1:0:0', 'This device can capture its screen as it is only, not crop=1:1:0:0'],
  ])('ends on %s', async (option, error) => {
    const { server } = await open(option)
    expect(await server.exit).toBe(0)
    expect((await server.printed()).stderr).toContain(`[server] ERROR: ${error}`)
  })

  it.each(['video', 'control'] as const)(
    'ends together with its encoder when the client closes %s',
    async (socket) => {
      const { server, video, control } = await open('send_dummy_byte=false send_device_meta=false')
      await video.client.read(12)
      await video.restart()
      expect(encoders()).not.toBe('')
      const closing = socket === 'video' ? video.client : control
      closing.stream.close()
      expect(await server.exit).toBe(0)
      expect(encoders()).toBe('')
    },
  )

  it('refuses audio and continues', async () => {
    const server = startServer(
      `${COMMON.replace('audio=false', 'audio=true')} send_dummy_byte=false send_device_meta=false`,
    )
    running.push(server)
    const [video, audio] = [await connect(server), await connect(server)]
    await connect(server)
    expect((await audio.read(4)).toString('hex')).toBe('00000000')
    expect((await video.read(4)).toString()).toBe('h264')
  })
})

describe('the video of scrcpy 4.1', () => {
  it('begins with the codec and a session packet, with flags one bit lower', async () => {
    const { video } = await open('', '4.1')
    await video.client.read(65)
    expect((await video.client.read(4)).toString()).toBe('h264')
    expect((await video.client.read(12)).toString('hex')).toBe('800000000000012000000280')
    const header = await video.client.read(12)
    expect(header.toString('hex', 0, 8)).toBe('4000000000000000')
    await video.client.read(header.readUInt32BE(8))
    expect((await video.client.read(12)).readUInt8(0) >> 5).toBe(0b001)
  })

  it('sends a session packet for each new encoder', async () => {
    const { video, control } = await open('send_dummy_byte=false send_device_meta=false max_size=635', '4.1')
    await video.client.read(4)
    expect(await video.session()).toEqual([284, 634])
    const [config, key] = await video.restart()
    expect(await sizeOf(Buffer.concat([config.data, key.data]))).toEqual({ width: 284, height: 634 })
    await video.packet()
    await control.send('0b')
    expect(await video.session()).toEqual([634, 284])
    await video.restart()
    await video.packet()
    await control.send('11')
    expect(await video.session()).toEqual([634, 284])
  })

  it('ends on a camera message', async () => {
    const { server, control } = await open('', '4.1')
    await control.send('12 01')
    expect(await server.exit).toBe(0)
    expect((await server.printed()).stderr).toContain('Unexpected message type: camera_set_torch')
  })
})

/** Encoders that this process started, as `ps` prints them. */
function encoders(): string {
  try {
    return execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid=,args='])
      .toString()
      .split('\n')
      .filter((line) => line.includes('libx264'))
      .join('\n')
  } catch {
    // `ps` exits with 1 when its list is empty.
    return ''
  }
}
