/** The virtual phone driven by @yume-chan/adb, through a real adb server and directly. Each test's title is a row of README's table. */
import { randomBytes } from 'node:crypto'
import { Adb, AdbFeature, AdbServerClient, LinuxFileType, type AdbSocket, type AdbSync } from '@yume-chan/adb'
import { AdbServerNodeTcpConnector } from '@yume-chan/adb-server-node-tcp'
import { ReadableStream, type MaybeConsumable } from '@yume-chan/stream-extra'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nameOf, startClientPhone, type ClientPhone } from '../testing/client-phone.js'
import { connectDaemon } from '../testing/yume.js'

let host: ClientPhone
let server: AdbServerClient
beforeAll(async () => {
  host = await startClientPhone()
  server = new AdbServerClient(new AdbServerNodeTcpConnector({ host: '127.0.0.1', port: host.adb.port }))
})
afterAll(async () => {
  await host.close()
})

/** Splits the bytes into chunks, as when a file is read. */
function streamOf(bytes: Uint8Array): ReadableStream<MaybeConsumable<Uint8Array>> {
  let at = 0
  return new ReadableStream<MaybeConsumable<Uint8Array>>({
    pull: (controller) => {
      if (at >= bytes.length) controller.close()
      else controller.enqueue(bytes.slice(at, (at += 100_000)))
    },
  })
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks)
    chunks.push(value)
  }
}

async function greet(socket: AdbSocket): Promise<void> {
  const writer = socket.writable.getWriter()
  await writer.write(Buffer.from('hello from the host'))
  await socket.close()
}

async function withSync<T>(adb: Adb, use: (sync: AdbSync) => Promise<T>): Promise<T> {
  const sync = await adb.sync()
  try {
    return await use(sync)
  } finally {
    await sync.dispose()
  }
}

const ways: [string, () => Promise<Adb>][] = [
  [
    `${nameOf('@yume-chan/adb')} with ${nameOf('@yume-chan/adb-server-node-tcp')}`,
    () => server.createAdb({ serial: host.serial }),
  ],
  [
    `${nameOf('@yume-chan/adb')}, AdbDaemonTransport over TCP`,
    async () => new Adb(await connectDaemon(host.phone.port)),
  ],
]

describe.each(ways)('%s', (_name, open) => {
  let adb: Adb
  beforeAll(async () => {
    adb = await open()
  })
  afterAll(async () => {
    await adb.close()
  })

  it("reads the phone's identity and features", async () => {
    expect([adb.banner.model, adb.banner.product]).toEqual(['Virtual_Phone', 'virtual_phone'].map(orSpaced))
    for (const feature of [
      AdbFeature.ShellV2,
      AdbFeature.StatV2,
      AdbFeature.ListV2,
      AdbFeature.FixedPushMkdir,
      AdbFeature.SendReceiveV2,
      AdbFeature.DelayedAck,
    ])
      expect(adb.deviceFeatures).toContain(feature)
    expect(await adb.getProp('ro.build.version.sdk')).toBe('34')
  })

  it('runs shell v2 with separate exit code, stdout and stderr', async () => {
    const result = await adb.subprocess.shellProtocol?.spawnWaitText('echo out; echo err >&2; exit 7')
    expect(result).toEqual({ stdout: 'out\n', stderr: 'err\n', exitCode: 7 })
  })

  it('writes to stdin of shell v2, and kills the process', async () => {
    const cat = await adb.subprocess.shellProtocol?.spawn('cat; echo end')
    if (!cat) throw new Error('no shell v2')
    const writer = cat.stdin.getWriter()
    await writer.write(Buffer.from('in\n'))
    await writer.close()
    expect((await collect(cat.stdout)).toString()).toBe('in\nend\n')
    expect(await cat.exited).toBe(0)
    const sleep = await adb.subprocess.shellProtocol?.spawn('echo $$; exec sleep 1000')
    if (!sleep) throw new Error('no shell v2')
    const reader = sleep.stdout.getReader()
    const pid = Buffer.from((await reader.read()).value ?? [])
      .toString()
      .trim()
    const ended = expect(sleep.exited).rejects.toThrow('Socket ended without exit message')
    await sleep.kill()
    await ended
    for (let i = 0; i < 100 && (await host.shell('ps -A -o PID')).split(/\s+/).includes(pid); i++)
      await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await host.shell('ps -A -o PID')).split(/\s+/)).not.toContain(pid)
  })

  it('runs the shell without the shell protocol', async () => {
    expect(await adb.subprocess.noneProtocol.spawnWaitText('echo out; echo err >&2')).toBe('out\nerr\n')
  })

  it('pushes and pulls 8 MB by sync v2', async () => {
    const bytes = randomBytes(8_000_000)
    await withSync(adb, async (sync) => {
      expect(sync.supportsSendReceiveV2).toBe(true)
      await sync.write({ filename: '/sdcard/yume', file: streamOf(bytes), permission: 0o600 })
      expect((await collect(sync.read('/sdcard/yume'))).equals(bytes)).toBe(true)
    })
  })

  it('stats and lists by sync v2', async () => {
    await host.shell(
      'mkdir -p /sdcard/y; echo 12345 > /sdcard/y/file; ln -s /data/local/tmp /data/local/tmp/here 2>/dev/null; true',
    )
    await withSync(adb, async (sync) => {
      expect([sync.supportsStat, sync.supportsListV2]).toEqual([true, true])
      const stat = await sync.stat('/sdcard/y/file')
      expect([stat.size, stat.type]).toEqual([6n, LinuxFileType.File])
      expect((await sync.lstat('/sdcard')).type).toBe(LinuxFileType.Link)
      expect((await sync.stat('/sdcard')).type).toBe(LinuxFileType.Directory)
      await expect(sync.stat('/sdcard/y/none')).rejects.toThrow(/ENOENT|NOENT|No such/i)
      const names = (await sync.readdir('/sdcard/y')).map(({ name }) => name)
      expect(names.filter((name) => !name.startsWith('.'))).toEqual(['file'])
    })
  })

  it('opens a reverse tunnel to this process', async () => {
    let answered: Promise<void> = Promise.reject(new Error('nobody came'))
    answered.catch(() => undefined)
    const address = await adb.reverse.add('localabstract:yume', (socket) => {
      // The daemon transport accepts the connection only after this function returns.
      answered = new Promise((resolve) => setTimeout(resolve, 20)).then(() => greet(socket))
    })
    expect(address).toBe('localabstract:yume')
    expect((await adb.reverse.list()).map(({ localName }) => localName)).toContain('localabstract:yume')
    const socket = await adb.createSocket('localabstract:yume')
    expect((await collect(socket.readable)).toString()).toBe('hello from the host')
    await answered
    await adb.reverse.remove('localabstract:yume')
    await expect(adb.createSocket('localabstract:yume')).rejects.toThrow()
  })

  it('reads the framebuffer', async () => {
    const frame = await adb.framebuffer()
    expect([frame.width, frame.height, frame.bpp, frame.data.length]).toEqual([
      1080,
      2400,
      32,
      1080 * 2400 * 4,
    ])
  })

  it('opens forty streams concurrently', async () => {
    const texts = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        adb.subprocess.noneProtocol.spawnWaitText(`seq 1 500 | wc -l; echo ${i}`),
      ),
    )
    expect(texts).toEqual(texts.map((_, i) => `500\n${i}\n`))
  })

  it('gets a refusal for an unknown service', async () => {
    await expect(adb.createSocket('nope:')).rejects.toThrow()
  })
})

/** adb's device list replaces spaces in a model by underscores; adbd's banner does not. */
function orSpaced(name: string): unknown {
  return expect.stringMatching(new RegExp(`^${name.replace('_', '[_ ]')}$`))
}

describe(`${nameOf('@yume-chan/adb-server-node-tcp')} as observer`, () => {
  it('lists the phone', async () => {
    expect(await server.getDevices()).toMatchObject([
      { serial: host.serial, state: 'device', model: 'Virtual_Phone', product: 'virtual_phone' },
    ])
  })

  it('tracks the phone disconnecting and reconnecting', async () => {
    const observer = await server.trackDevices()
    const gone = new Promise((resolve) => observer.onDeviceRemove(resolve))
    await host.adb.run(['disconnect', host.serial])
    expect(await gone).toMatchObject([{ serial: host.serial }])
    const there = new Promise((resolve) => observer.onDeviceAdd(resolve))
    await host.adb.run(['connect', host.serial])
    expect(await there).toMatchObject([{ serial: host.serial }])
    await observer.stop()
    expect(host.faults).toEqual([])
  })
})
