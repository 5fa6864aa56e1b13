/**
 * Measures how many frames a second the virtual screen's video has while the screen moves, and what they cost:
 * `node dist/frame-rate.js [seconds]`. Prints one line of JSON for each screen and size of video: the machine's load,
 * and processor time of a frame in this process, which draws (`drawMs`), and in ffmpeg (`encodeMs`, Linux only).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { protocolOf } from './scrcpy/protocols.js'
import { makeWorld } from './ui/index.js'
import { type PhoneWorld } from './ui/window/world.js'
import { ffmpegPath } from './video/ffmpeg.js'
import { ScreenVideo } from './video/screen-video.js'

interface Scene {
  package: string
  activity: string
  /** What keeps it moving; left out: it moves by itself. */
  finger?: (world: PhoneWorld, frame: number) => void
}

/** One finger that pulls a list up and down, in steps as often as the screen is drawn. */
function pull(world: PhoneWorld, frame: number): void {
  const turn = frame % 120
  const y = 1600 - 20 * (turn < 60 ? turn : 120 - turn)
  if (frame === 0) world.touch('down', 0, 540, y)
  else world.touch('move', 0, 540, y)
}

const SCENES: Readonly<Record<string, Scene>> = {
  spinner: { package: 'com.phonerack.trouble', activity: 'com.phonerack.trouble.BusyActivity' },
  clock: { package: 'com.android.deskclock', activity: 'com.android.deskclock.DeskClock' },
  'scrolled contacts': {
    package: 'com.android.contacts',
    activity: 'com.android.contacts.activities.PeopleActivity',
    finger: pull,
  },
  'scrolled shop': {
    package: 'com.phonerack.shop',
    activity: 'com.phonerack.shop.MainActivity',
    finger: pull,
  },
}
const SIZES = [720, 1024, 1280, 0]
const FINGER_MS = 16
/** Of `/proc/PID/stat` (Linux, USER_HZ). */
const TICK_MS = 10

/** Processor time of this process's children that are alive; null where the system does not tell. */
function childrenMs(): number | null {
  const path = `/proc/${process.pid}/task`
  try {
    const children = readdirSync(path).flatMap((task) =>
      readFileSync(`${path}/${task}/children`, 'utf8').split(' ').filter(Boolean),
    )
    return children.reduce((sum, pid) => {
      // Behind the name, which may hold anything, utime and stime are the 12th and 13th fields.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
      return sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS
    }, 0)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

const round = (value: number): number => Number(value.toFixed(1))

async function measure(name: string, scene: Scene, maxSize: number, seconds: number): Promise<void> {
  const world = makeWorld()
  let frames = 0
  let bytes = 0
  const video = new ScreenVideo({
    world,
    ffmpeg: ffmpegPath(),
    fit: (display) => protocolOf('3.3.3').videoSize(display, maxSize, 1),
    maxFps: 0,
    bitRate: 8_000_000,
    keyFrameSeconds: 10,
    repeatAfterMs: 100,
    uptimeMs: () => performance.now(),
    sink: {
      session: () => Promise.resolve(),
      packet: ({ config, data }) => {
        if (!config) frames += 1
        bytes += data.length
        return Promise.resolve()
      },
    },
  })
  const running = video.run()
  const component = { package: scene.package, className: scene.activity }
  if (world.startActivity({ component, categories: [], extras: {} }).kind === 'not_found')
    throw new Error(`There is no ${scene.activity}`)
  let step = 0
  const finger = setInterval(() => scene.finger?.(world, step++), FINGER_MS)
  try {
    await delay(1500)
    const before = { cpu: process.cpuUsage(), children: childrenMs(), frames, bytes, at: performance.now() }
    await delay(seconds * 1000)
    const cpu = process.cpuUsage(before.cpu)
    const children = childrenMs()
    const count = frames - before.frames
    const elapsed = (performance.now() - before.at) / 1000
    const figures = {
      screen: name,
      maxSize,
      framesPerSecond: round(count / elapsed),
      drawMs: round((cpu.user + cpu.system) / 1000 / count),
      encodeMs:
        children === null || before.children === null ? null : round((children - before.children) / count),
      kilobytesPerSecond: Math.round((bytes - before.bytes) / elapsed / 1000),
      load: round(loadavg()[0] ?? 0),
    }
    process.stdout.write(`${JSON.stringify(figures)}\n`)
  } finally {
    clearInterval(finger)
    video.stop()
    await running
    world.close()
  }
}

for (const [name, scene] of Object.entries(SCENES))
  for (const maxSize of SIZES) await measure(name, scene, maxSize, Number(process.argv[2] ?? 5))
