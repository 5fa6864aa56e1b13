/**
 * Measures how many frames a second the virtual screen's video has while the screen moves, and what they cost:
 * `node dist/frame-rate.js [seconds]`. Prints one line of JSON for each size of video. `coreMs`: processor time of a
 * frame in this process, which draws; the encoder is a process of its own.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { protocolOf } from './scrcpy/protocols.js'
import { createWorld } from './ui/index.js'
import { ffmpegPath } from './video/ffmpeg.js'
import { ScreenVideo } from './video/screen-video.js'

const movingApp = 'com.phonerack.trouble'
const movingActivity = 'com.phonerack.trouble.BusyActivity'

async function measure(maxSize: number, seconds: number): Promise<void> {
  const world = createWorld({
    maker: 'Phonerack',
    model: 'Virtual Phone',
    androidVersion: '14',
    buildNumber: 'measure',
    serial: 'measure',
    state: null,
    now: () => new Date(),
  })
  const frames: number[] = []
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
        if (!config) frames.push(data.length)
        return Promise.resolve()
      },
    },
  })
  const running = video.run()
  try {
    world.startActivity({
      component: { package: movingApp, className: movingActivity },
      categories: [],
      extras: {},
    })
    await delay(2000)
    const before = { cpu: process.cpuUsage(), frames: frames.length, at: performance.now() }
    await delay(seconds * 1000)
    const cpu = process.cpuUsage(before.cpu)
    const count = frames.length - before.frames
    const elapsed = (performance.now() - before.at) / 1000
    const bytes = frames.slice(before.frames).reduce((sum, length) => sum + length, 0)
    const figures = {
      maxSize,
      framesPerSecond: Number((count / elapsed).toFixed(1)),
      coreMs: Number(((cpu.user + cpu.system) / 1000 / count).toFixed(1)),
      kilobytesPerSecond: Math.round(bytes / elapsed / 1000),
    }
    process.stdout.write(`${JSON.stringify(figures)}\n`)
  } finally {
    video.stop()
    await running
    world.close()
  }
}

for (const maxSize of [640, 720, 1024, 1280, 0]) await measure(maxSize, Number(process.argv[2] ?? 5))
