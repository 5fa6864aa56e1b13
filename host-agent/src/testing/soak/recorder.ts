/**
 * The agent's recording code, alone in a process whose memory can be measured: the
 * product's scrcpy video socket, fan-out, writer and file; only the clock is replaced,
 * and the socket leads to `phone.ts`. Started by `main.ts`.
 */
import { createLogger, Progress, pause } from '@phonerack/shared'
import { openSocket } from '../../adb/connect.js'
import type { Capture } from '../../adb/device/capture.js'
import { createFanOut } from '../../capture/fan-out.js'
import { pump } from '../../capture/video-socket.js'
import { createRecordings } from '../../media/recordings/recordings.js'
import { openRecordingStore, type Entry } from '../../media/recordings/store.js'

/**
 * Messages to `main.ts`: first that recording has begun, and last the result. `recordedMs`: the shortest and
 * the longest time that can have passed from the first picture to the stop, on the clock that runs `speed`
 * times as fast, since a busy machine stalls in between. `tookMs`: the real time from the stop to the file.
 */
export type RecorderMessage =
  | { type: 'started' }
  | { type: 'over'; entry: Entry; recordedMs: { least: number; most: number }; tookMs: number }

/** A day, which is longer than any soak test. */
const longest = 86_400_000
const id = 'rec_aaaaaaaaaaaa'
const who = { serial: 'soak', phoneId: 'ph_aaaaaaaaaaaa', tenant: '', fencingNumber: 1n, requestId: '' }

const [socketPath = '', dir = '', speed = '', ffmpeg = '', ffprobe = ''] = process.argv.slice(2)
const log = createLogger('soak')
log.level = process.env['LOG_LEVEL'] ?? 'silent'
const tell = (told: RecorderMessage): void => void process.send?.(told)

const now = (): number => performance.now() * Number(speed)
let first: { before: number; after: number } | null = null

const capture: Capture = {
  async subscribe(listener) {
    const fan = createFanOut(log)
    const { remove } = fan.add(listener)
    const video = await openSocket(socketPath, 'the film', Progress.for(longest))
    void pump(video, {
      onParameterSets: (bytes) => fan.parameterSets(bytes),
      onPacket(data, ptsUs, isKeyFrame) {
        const before = now()
        fan.packet(data, ptsUs, isKeyFrame)
        first ??= { before, after: now() }
      },
    }).then((reason) => fan.end(reason))
    return {
      requestKeyFrame: () => undefined,
      close() {
        remove()
        video.close()
      },
    }
  },
  standBy: (within) => pause(within.remaining, within.signal),
}

const recordings = createRecordings({
  videoOf: () => Promise.resolve({ capture, held: new AbortController().signal }),
  store: openRecordingStore(dir),
  programs: { ffmpeg, ffprobe },
  limits: { bytes: Number.MAX_SAFE_INTEGER, minFree: 0 },
  log,
  now,
})

process.once('message', () => void stop())
process.once('disconnect', () => process.exit(1))
await recordings.start(who, id, Progress.for(60_000))
tell({ type: 'started' })

async function stop(): Promise<void> {
  const asked = performance.now()
  const least = Math.round(now() - (first?.after ?? NaN))
  await recordings.stop(id)
  const most = Math.round(now() - (first?.before ?? NaN))
  const never = new AbortController().signal
  while (recordings.get(id).status === 'processing') await pause(200, never)
  tell({
    type: 'over',
    entry: recordings.get(id),
    recordedMs: { least, most },
    tookMs: Math.round(performance.now() - asked),
  })
  await recordings.close()
  process.disconnect()
}
