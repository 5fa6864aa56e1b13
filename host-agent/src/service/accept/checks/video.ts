/** The screen as video, and recordings of the screen. */
import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { newId, ownNow, type Progress } from '@phonerack/shared'
import type { Capture, VideoConfig, VideoPacket } from '../../../adb/device/capture.js'
import { need } from '../../grpc/call.js'
import { Failed, type Check, type Picture } from '../check.js'
import { timed, type PhoneUnderTest } from '../phone.js'
import { openSettings } from './input.js'
import { observeScreen, runActions } from './screen.js'

/** The packets of a subscription. */
interface Stream {
  readonly configs: readonly VideoConfig[]
  readonly packets: readonly VideoPacket[]
  /** The reason for which the stream ended; null when it runs. */
  readonly end: string | null
  requestKeyFrame(): void
  close(): void
}

export async function film(phone: PhoneUnderTest, progress: Progress): Promise<Stream> {
  const configs: VideoConfig[] = []
  const packets: VideoPacket[] = []
  let end: string | null = null
  const capture: Capture = await phone
    .gate()
    .read(phone.caller(), progress, (device) => Promise.resolve(need(device.video, 'video')))
  const subscription = await capture.subscribe(
    {
      onConfig: (config) => void configs.push(config),
      onPacket: (packet) => void packets.push(packet),
      onEnd: (reason) => void (end = reason),
    },
    progress,
  )
  return {
    configs,
    packets,
    get end() {
      return end
    },
    requestKeyFrame: () => subscription.requestKeyFrame(),
    close: () => subscription.close(),
  }
}

/** Waits for a condition of the stream. @throws Failed when the stream ends, or with `what` after `ms` */
export async function until(
  stream: Stream,
  isTrue: () => boolean,
  ms: number,
  what: string,
  progress: Progress,
): Promise<number> {
  const startedAt = ownNow()
  const within = progress.within(ms)
  while (!isTrue()) {
    if (stream.end !== null) throw new Failed(`the video ended: ${stream.end}`)
    if (within.expired) throw new Failed(`${what} did not come within ${ms} ms`)
    await progress.sleep(10, what)
  }
  return Math.round(ownNow() - startedAt)
}

/** Milliseconds. */
export const limits = { firstPicture: 15_000, keyFrame: 3000, rotation: 10_000 }
/** Share by which the video's shape may differ from the screen's, since encoders round sizes. */
const shapeTolerance = 0.03

export const video: Check = {
  name: 'video',
  claim:
    'The screen is filmed while another scrcpy server types; a key frame of a still screen comes on request.',
  needs: ['tree'],
  limitMs: 120_000,
  async run(phone, progress) {
    const before = await openSettings(phone, progress)
    const { result: stream, ms: opened } = await timed(() => film(phone, progress))
    try {
      const first = await until(
        stream,
        () => stream.packets.length > 0,
        limits.firstPicture,
        'the first picture',
        progress,
      )
      const config = stream.configs[0]
      if (config === undefined || stream.packets[0]?.isKeyFrame !== true)
        throw new Failed('the video does not begin with a key frame and its parameter sets')
      requireShape(config, before.screen)
      const count = stream.packets.length
      await runActions(phone, [{ type: 'scroll', direction: 'down' }], progress)
      await until(
        stream,
        () => stream.packets.length > count,
        limits.keyFrame,
        'a picture of the scroll',
        progress,
      )
      // Waits until the animation of the scroll ends.
      await progress.sleep(1000, 'a still screen')
      const still = stream.packets.length
      stream.requestKeyFrame()
      const keyFrame = await until(
        stream,
        () => stream.packets.slice(still).some(({ isKeyFrame }) => isKeyFrame),
        limits.keyFrame,
        'a key frame of the still screen',
        progress,
      )
      const bytes = stream.packets.reduce((sum, { data }) => sum + data.length, 0)
      return {
        evidence: [
          `${config.codec} of ${config.width}x${config.height}`,
          `${stream.packets.length} pictures, ${bytes} bytes`,
        ],
        times: { first_picture: opened + first, key_frame: keyFrame },
      }
    } finally {
      stream.close()
    }
  },
}

function requireShape(config: VideoConfig, screen: { width: number; height: number }): void {
  const ratio = config.width / config.height / (screen.width / screen.height)
  if (Math.abs(ratio - 1) > shapeTolerance)
    throw new Failed(
      `the video is ${config.width}x${config.height}, the screen ${screen.width}x${screen.height}`,
    )
}

const rotate = (phone: PhoneUnderTest, progress: Progress): Promise<void> =>
  phone
    .gate()
    .write('batch', phone.caller(), progress, (device, within) =>
      need(device.liveInput, 'live_input').rotate(within),
    )

export const rotation: Check = {
  name: 'rotation',
  claim: "A rotated phone's tree and video have the rotated size.",
  needs: ['video'],
  limitMs: 120_000,
  async run(phone, progress) {
    const before = await openSettings(phone, progress)
    const stream = await film(phone, progress)
    try {
      await until(stream, () => stream.packets.length > 0, limits.firstPicture, 'the first picture', progress)
      const isWide = () => {
        const config = stream.configs.at(-1)
        return config !== undefined && config.width > config.height
      }
      const wasWide = isWide()
      await rotate(phone, progress)
      const turned = await until(
        stream,
        () => isWide() !== wasWide,
        limits.rotation,
        'a rotated picture',
        progress,
      )
      const { screen } = await observeScreen(phone, progress)
      await rotate(phone, progress)
      await until(stream, () => isWide() === wasWide, limits.rotation, 'the first rotation again', progress)
      const evidence = [
        `${before.screen.width}x${before.screen.height}, then ${screen.width}x${screen.height}`,
      ]
      if (screen.width > screen.height === before.screen.width > before.screen.height)
        throw new Failed('the tree kept its size', { evidence })
      return { evidence, times: { rotated: turned } }
    } finally {
      stream.close()
    }
  },
}

/** Milliseconds. */
const recordingMs = 2500
const clockToleranceMs = 200

export const recording: Check = {
  name: 'recording',
  claim: `A recording of a phone that is rotated plays, and its length fits this machine's clock within ${clockToleranceMs} ms.`,
  needs: ['video'],
  limitMs: 180_000,
  async run(phone, progress) {
    await openSettings(phone, progress)
    const id = newId('recording')
    const { ms: began } = await timed(() => phone.recordings.start(phone.caller(), id, progress))
    const startedAt = ownNow()
    while (ownNow() - startedAt < recordingMs) {
      await runActions(phone, [{ type: 'scroll', direction: 'down' }], progress)
      await rotate(phone, progress)
      await runActions(phone, [{ type: 'scroll', direction: 'up' }], progress)
      await rotate(phone, progress)
    }
    await phone.recordings.stop(id)
    const entry = () => phone.recordings.get(id)
    const { ms: converted } = await timed(async () => {
      while (!['ready', 'failed'].includes(entry().status)) await progress.sleep(50, 'the conversion')
    })
    const { status, failure, durationMs, endedAt, startedAt: filmedAt, sizeBytes } = entry()
    if (status !== 'ready') throw new Failed(`the recording failed: ${failure}`)
    const wallMs = (endedAt ?? 0) - filmedAt
    const evidence = [`${durationMs} ms of video in ${wallMs} ms, ${sizeBytes} bytes`]
    const pictures = [await frameOf(phone, id, progress)]
    const times = { start: began, conversion: converted }
    if (Math.abs(durationMs - wallMs) > clockToleranceMs)
      throw new Failed(`the video is ${durationMs} ms long, but was filmed for ${wallMs} ms`, {
        evidence,
        times,
        pictures,
      })
    return { evidence, times, pictures }
  },
}

const maxFrameBytes = 4 << 20

/** Decodes the recording and returns its first frame. @throws Failed when it does not play */
async function frameOf(phone: PhoneUnderTest, id: string, progress: Progress): Promise<Picture> {
  const file = join(phone.dir, 'recording.mp4')
  await pipeline(phone.recordings.read(id), createWriteStream(file), { signal: progress.signal })
  const scaled = ['-vf', 'scale=320:-2', '-frames:v', '1', '-f', 'image2pipe', '-c:v', 'mjpeg', '-']
  await decode(phone, ['-v', 'error', '-xerror', '-i', file, '-f', 'null', '-'], progress)
  const image = await decode(phone, ['-v', 'error', '-i', file, ...scaled], progress)
  if (image.length === 0) throw new Failed('the recording has no picture')
  return { title: 'The first frame of the recording', image }
}

const decode = (phone: PhoneUnderTest, args: readonly string[], progress: Progress): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { PATH, LD_LIBRARY_PATH } = process.env
    execFile(
      phone.programs.ffmpeg,
      [...args],
      {
        encoding: 'buffer',
        maxBuffer: maxFrameBytes,
        signal: progress.signal,
        killSignal: 'SIGKILL',
        env: { PATH, LD_LIBRARY_PATH },
      },
      (error, stdout, stderr) => {
        if (error)
          reject(
            new Failed(
              `ffmpeg does not play the recording: ${stderr.toString('utf8').slice(0, 300) || error.message}`,
            ),
          )
        else resolve(stdout)
      },
    )
  })
