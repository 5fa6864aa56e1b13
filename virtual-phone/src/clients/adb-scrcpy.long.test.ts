/** The virtual phone driven by @yume-chan/adb-scrcpy, which starts the released server 3.3.3. Each test's title is a row of README's table. */
import { execFileSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { AdbNoneProtocolSpawner, AdbServerClient, type Adb } from '@yume-chan/adb'
import { AdbScrcpyClient, AdbScrcpyOptions3_3_3 } from '@yume-chan/adb-scrcpy'
import { AdbServerNodeTcpConnector } from '@yume-chan/adb-server-node-tcp'
import {
  AndroidKeyCode,
  AndroidKeyEventAction,
  AndroidKeyEventMeta,
  AndroidMotionEventAction,
  AndroidMotionEventButton,
  AndroidScreenPowerMode,
  ScrcpyControlMessageType,
  ScrcpyVideoCodecId,
  type ScrcpyControlMessageWriter,
  type ScrcpyMediaStreamPacket,
} from '@yume-chan/scrcpy'
import { ReadableStream, WritableStream } from '@yume-chan/stream-extra'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { find, nameOf, startClientPhone, type ClientPhone } from '../testing/client-phone.js'
import { decodeH264, distance, pngToRgb } from '../testing/pictures.js'
import { scrcpyJar } from '../testing/scrcpy-jar.js'

type VideoOptions = AdbScrcpyOptions3_3_3<true>
type Options = AdbScrcpyOptions3_3_3<boolean>
type AdbScrcpyVideoStream = Awaited<AdbScrcpyClient<VideoOptions>['videoStream']>
type Init = AdbScrcpyOptions3_3_3.Init

const jarPath = '/data/local/tmp/scrcpy-server.jar'
const SIZE = { width: 288, height: 640 }

let host: ClientPhone
let adb: Adb
const open: Session[] = []

beforeAll(async () => {
  host = await startClientPhone()
  const server = new AdbServerClient(
    new AdbServerNodeTcpConnector({ host: '127.0.0.1', port: host.adb.port }),
  )
  adb = await server.createAdb({ serial: host.serial })
})
afterEach(async () => {
  for (const session of open.splice(0)) await session.close()
})
afterAll(async () => {
  await adb.close()
  await host.close()
})

async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 15_000; Date.now() < end;) {
    if (await check()) return
    await delay(60)
  }
  throw new Error(`Waited in vain: ${what}`)
}

/**
 * Starts the server by shell v2. With the default, `exec:`, a server continues after the client's `close`: on
 * a phone until its sockets end, on this phone for ten seconds.
 */
function shellSpawner(): AdbNoneProtocolSpawner {
  return new AdbNoneProtocolSpawner(async (command, signal) => {
    const process = await adb.subprocess.shellProtocol?.spawn(command, signal)
    if (!process) throw new Error('no shell v2')
    const { stdin, stdout: output } = process
    // A killed process has no exit code.
    const exited = process.exited.then(
      () => undefined,
      () => undefined,
    )
    return { stdin, output, exited, kill: () => process.kill() }
  })
}

/** A started server, whose video is read continuously. */
class Session {
  readonly packets: ScrcpyMediaStreamPacket[] = []
  video: AdbScrcpyVideoStream | undefined
  readonly lines: string[] = []
  private readonly reads: Promise<void>[] = []
  private isClosing = false

  private constructor(
    readonly client: AdbScrcpyClient<Options>,
    readonly options: Options,
  ) {}

  static async start(init: Partial<Init> = {}): Promise<Session> {
    // `cleanup` lets the server remove its jar, so each start pushes it, as the desktop client does.
    await AdbScrcpyClient.pushServer(adb, ReadableStream.from([new Uint8Array(scrcpyJar())]), jarPath)
    const options: Options = new AdbScrcpyOptions3_3_3<boolean>(
      { audio: false, maxSize: 640, ...init },
      { spawner: shellSpawner() },
    )
    const client = await AdbScrcpyClient.start(adb, jarPath, options)
    const session = new Session(client, options)
    open.push(session)
    session.read(client.output, (line) => session.lines.push(line))
    // Undefined when the options disable video.
    const video: Promise<AdbScrcpyVideoStream> | undefined = client.videoStream
    session.video = await video
    if (session.video) session.read(session.video.stream, (packet) => session.packets.push(packet))
    return session
  }

  /** Passes on the received packets until the stream ends. The client may end inside a packet. */
  private read<T>(stream: ReadableStream<T>, take: (value: T) => void): void {
    const reading = stream.pipeTo(new WritableStream({ write: take })).catch((error: unknown) => {
      if (!this.isClosing) throw error
    })
    this.reads.push(reading)
  }

  async close(): Promise<void> {
    this.isClosing = true
    await this.client.close()
    await Promise.all(this.reads)
  }

  get control(): ScrcpyControlMessageWriter {
    if (!this.client.controller) throw new Error('no control socket')
    return this.client.controller
  }

  /** Resolves when a configuration packet and a key frame came after the first `from` packets. */
  keyFrame(from = 0): Promise<void> {
    return until('key frame', () => {
      const config = this.packets.findIndex(({ type }, i) => i >= from && type === 'configuration')
      const next = this.packets[config + 1]
      return config !== -1 && next?.type === 'data' && next.keyframe === true
    })
  }

  async tap(x: number, y: number, size = { width: this.video?.width ?? 0, height: this.video?.height ?? 0 }) {
    const message = {
      pointerId: 1n,
      pointerX: x,
      pointerY: y,
      videoWidth: size.width,
      videoHeight: size.height,
      pressure: 1,
      actionButton: AndroidMotionEventButton.Primary,
      buttons: AndroidMotionEventButton.Primary,
    }
    await this.control.injectTouch({ ...message, action: AndroidMotionEventAction.Down })
    await this.control.injectTouch({ ...message, action: AndroidMotionEventAction.Up, pressure: 0 })
  }

  /** Taps the element with this text, description or id, in the video's coordinates. */
  async tapOn(wanted: string): Promise<void> {
    const { x, y } = find(await host.tree(), wanted)
    await this.tap(Math.round((x * SIZE.width) / 1080), Math.round((y * SIZE.height) / 2400))
  }

  async press(
    keyCode: AndroidKeyCode,
    metaState: AndroidKeyEventMeta = AndroidKeyEventMeta.None,
  ): Promise<void> {
    for (const action of [AndroidKeyEventAction.Down, AndroidKeyEventAction.Up])
      await this.control.injectKeyCode({ action, keyCode, repeat: 0, metaState })
  }

  /** Waits for an acknowledgement, which arrives only after all earlier messages were handled. */
  flush(): Promise<void> {
    return this.control.setClipboard({ content: `flush ${Math.random()}`, paste: false, sequence: 1n })
  }

  /** Opens a new note, with the focus in its title. */
  async newNote(): Promise<void> {
    await this.control.startApp('com.phonerack.notes', { forceStop: true })
    await until('notes', async () => (await focus()).includes('com.phonerack.notes'))
    await this.tapOn('New note')
    await until('editor', async () =>
      (await host.tree()).some((node) => node.attributes['resource-id']?.endsWith(':id/title')),
    )
    await this.tapOn('title')
    await this.flush()
  }
}

const focus = (): Promise<string> => host.shell('dumpsys window | grep mCurrentFocus')
const title = async (): Promise<string> => find(await host.tree(), 'title').attributes['text'] ?? ''

describe(`${nameOf('@yume-chan/adb-scrcpy')} with ${nameOf('@yume-chan/scrcpy')} and server 3.3.3`, () => {
  it('starts the server through a reverse tunnel, and reads name, codec and size', async () => {
    const { video, lines } = await Session.start()
    expect(video?.metadata).toEqual({
      deviceName: 'Virtual Phone',
      codec: ScrcpyVideoCodecId.H264,
      width: 288,
      height: 640,
    })
    await until('log', () => lines.some((line) => line.startsWith('[server] INFO: Device: [Phonerack]')))
  })

  it('starts the server through a forward tunnel', async () => {
    const session = await Session.start({ tunnelForward: true })
    await session.keyFrame()
  })

  it('lists encoders and displays', async () => {
    await AdbScrcpyClient.pushServer(adb, ReadableStream.from([new Uint8Array(scrcpyJar())]), jarPath)
    const encoders = await AdbScrcpyClient.getEncoders(
      adb,
      jarPath,
      new AdbScrcpyOptions3_3_3({ cleanup: false }),
    )
    expect(encoders).toMatchObject([
      { type: 'video', codec: 'h264', name: 'c2.android.avc.encoder' },
      { type: 'video', codec: 'h264', name: 'OMX.google.h264.encoder' },
    ])
    const displays = await AdbScrcpyClient.getDisplays(
      adb,
      jarPath,
      new AdbScrcpyOptions3_3_3({ cleanup: false }),
    )
    expect(displays).toEqual([{ id: 0, resolution: '1080x2400' }])
  })

  it('video: decoded frames match screencap', async () => {
    const session = await Session.start()
    await session.keyFrame()
    await session.control.startApp('com.android.contacts')
    await until('contacts', async () => (await focus()).includes('com.android.contacts'))
    // Wait for the screen to be still.
    let count = -1
    await until('still', async () => {
      const before = count
      count = session.packets.length
      await delay(400)
      return before === session.packets.length
    })
    const pictures = await decodeH264(Buffer.concat(session.packets.map(({ data }) => data)), SIZE)
    const last = pictures.at(-1)
    if (!last) throw new Error('no picture')
    const { stdout } = await host.adb.run(['exec-out', 'screencap', '-p'])
    expect(distance(last, await pngToRgb(stdout, SIZE))).toBeLessThan(4)
    const times = session.packets.flatMap((packet) => (packet.type === 'data' ? [packet.pts ?? 0n] : []))
    expect(times.every((time, i) => i === 0 || time > (times[i - 1] ?? 0n))).toBe(true)
  })

  it('video: reset_video sends a key frame while the screen is still', async () => {
    const session = await Session.start()
    await session.keyFrame()
    const { length } = session.packets
    await session.control.resetVideo()
    await session.keyFrame(length)
  })

  it('video: rotate_device changes the size', async () => {
    const session = await Session.start()
    await session.keyFrame()
    await session.control.rotateDevice()
    await until('landscape', () => session.video?.width === 640)
    expect(session.video?.height).toBe(288)
    await session.control.rotateDevice()
    await until('portrait', () => session.video?.width === 288)
  })

  it('video: can be disabled', async () => {
    // The library reads the name only from the video socket.
    const session = await Session.start({ video: false, sendDeviceMeta: false })
    expect(session.video).toBeUndefined()
    await session.flush()
  })

  it('audio: refused, video continues', async () => {
    const session = await Session.start({ audio: true })
    expect(await session.client.audioStream).toEqual({ type: 'disabled' })
    await session.keyFrame()
  })

  it('control: inject_touch_event, dropped if it is for another video size', async () => {
    const session = await Session.start()
    await session.keyFrame()
    await session.control.startApp('com.phonerack.notes', { forceStop: true })
    await until('notes', async () => (await focus()).includes('com.phonerack.notes'))
    const { x, y } = find(await host.tree(), 'New note')
    await session.tap(Math.round((x * 288) / 1080), Math.round((y * 640) / 2400), { width: 640, height: 288 })
    await session.flush()
    expect((await host.tree()).some((node) => node.attributes['resource-id']?.endsWith(':id/title'))).toBe(
      false,
    )
    await session.tapOn('New note')
    await session.flush()
    expect(await title()).not.toBeNull()
  })

  it('control: inject_text and inject_keycode', async () => {
    const session = await Session.start()
    await session.keyFrame()
    await session.newNote()
    await session.control.injectText('Hello, é!x')
    await session.press(AndroidKeyCode.Backspace)
    await session.flush()
    expect(await title()).toBe('Hello, é!')
  })

  it('control: inject_scroll_event', async () => {
    const session = await Session.start()
    await session.keyFrame()
    await session.control.startApp('com.android.contacts', { forceStop: true })
    await until('contacts', async () => (await focus()).includes('com.android.contacts'))
    const names = async (): Promise<string> =>
      (await host.tree()).map(({ attributes }) => attributes['text'] ?? '').join('|')
    const before = await names()
    const at = { pointerX: 144, pointerY: 320, videoWidth: 288, videoHeight: 640, buttons: 0 }
    for (let i = 0; i < 5; i++) await session.control.injectScroll({ ...at, scrollX: 0, scrollY: -1 })
    await session.flush()
    await until('scrolled', async () => (await names()) !== before)
  })

  it('control: back_or_screen_on', async () => {
    const session = await Session.start()
    await session.keyFrame()
    await session.control.startApp('com.phonerack.notes', { forceStop: true })
    await until('notes', async () => (await focus()).includes('com.phonerack.notes'))
    await session.control.backOrScreenOn(AndroidKeyEventAction.Down)
    await session.control.backOrScreenOn(AndroidKeyEventAction.Up)
    await until('launcher', async () => (await focus()).includes('launcher'))
    await host.shell('input keyevent 223')
    await session.control.backOrScreenOn(AndroidKeyEventAction.Down)
    await session.control.backOrScreenOn(AndroidKeyEventAction.Up)
    await until('awake', async () => (await host.shell('dumpsys power')).includes('mWakefulness=Awake'))
  })

  it('control: expand and collapse panels', async () => {
    const session = await Session.start()
    await session.keyFrame()
    const shade = async (): Promise<boolean> =>
      (await host.tree()).some(({ attributes }) => attributes['package'] === 'com.android.systemui')
    expect(await shade()).toBe(false)
    await session.control.expandNotificationPanel()
    await until('notifications', shade)
    await session.control.collapseNotificationPanel()
    await until('collapsed', async () => !(await shade()))
    await session.control.expandSettingPanel()
    await until('quick settings', shade)
    await session.control.collapseNotificationPanel()
    await until('collapsed', async () => !(await shade()))
  })

  it('control: set_clipboard pastes, and is acknowledged with its sequence number', async () => {
    const session = await Session.start()
    await session.keyFrame()
    await session.newNote()
    await session.control.setClipboard({ content: '日本 👋 é', paste: true, sequence: 77n })
    expect(await title()).toBe('日本 👋 é')
  })

  it('control: get_clipboard with the cut key', async () => {
    const session = await Session.start()
    await session.keyFrame()
    await session.newNote()
    await session.control.injectText('asked for')
    await session.press(AndroidKeyCode.KeyA, AndroidKeyEventMeta.Ctrl)
    const reader = session.client.clipboard?.getReader()
    // With the cut key, the answer is the clipboard that the phone sends unasked.
    await session.control.write(Uint8Array.of(ScrcpyControlMessageType.GetClipboard, 2))
    expect((await reader?.read())?.value).toBe('asked for')
    expect(await title()).not.toBe('asked for')
    reader?.releaseLock()
  })

  it('control: the clipboard is sent when the phone copies', async () => {
    const session = await Session.start()
    await session.keyFrame()
    await session.newNote()
    await session.control.injectText('copied')
    await session.press(AndroidKeyCode.KeyA, AndroidKeyEventMeta.Ctrl)
    const reader = session.client.clipboard?.getReader()
    await session.press(AndroidKeyCode.AndroidCopy)
    expect((await reader?.read())?.value).toBe('copied')
    reader?.releaseLock()
  })

  it('control: set_display_power, uhid_create, uhid_input, uhid_destroy, open_hard_keyboard_settings', async () => {
    const session = await Session.start({ logLevel: 'info' })
    await session.keyFrame()
    await session.control.setScreenPowerMode(AndroidScreenPowerMode.Off)
    await session.control.setScreenPowerMode(AndroidScreenPowerMode.Normal)
    await session.control.uHidCreate({
      id: 1,
      vendorId: 0,
      productId: 0,
      name: 'Keys',
      data: new Uint8Array([5, 1]),
    })
    await session.control.uHidInput({ id: 1, data: new Uint8Array(8) })
    await session.control.uHidDestroy(1)
    await session.control.write(Uint8Array.of(ScrcpyControlMessageType.OpenHardKeyboardSettings))
    await session.flush()
    // The log is a separate stream, so a line about a message can arrive after the message's effect.
    const displayLines = () => session.lines.filter((line) => line.includes('Device display turned'))
    await until('both lines', () => displayLines().length >= 2)
    expect(displayLines()).toEqual([
      '[server] INFO: Device display turned off',
      '[server] INFO: Device display turned on',
    ])
    expect(session.lines.filter((line) => /WARN|ERROR/.test(line))).toEqual([])
    // The server continues after each of them.
    const { length } = session.packets
    await session.control.resetVideo()
    await session.keyFrame(length)
  })

  it('control: start_app by package, by name, and after a force-stop', async () => {
    const session = await Session.start()
    await session.keyFrame()
    await session.control.startApp('Notes', { searchByName: true })
    await until('notes', async () => (await focus()).includes('com.phonerack.notes'))
    await session.control.startApp('com.android.settings', { forceStop: true })
    await until('settings', async () => (await focus()).includes('com.android.settings'))
  })

  it('stops the server and its encoder when the client closes', async () => {
    const session = await Session.start()
    await session.keyFrame()
    const encoders = (): number =>
      execFileSync('ps', ['-A', '-o', 'ppid=,args='])
        .toString()
        .split('\n')
        .filter((line) => line.trim().startsWith(`${process.pid} `) && line.includes('libx264')).length
    expect(encoders()).toBe(1)
    await session.close()
    await session.client.exited
    await until('no encoder', () => encoders() === 0)
    expect(host.faults).toEqual([])
  })
})
