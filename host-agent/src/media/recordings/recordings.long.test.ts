/** Recordings of real H.264 by real ffmpeg, read back by real ffprobe. A film replaces the phone's screen. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createLogger, Progress } from '@phonerack/shared'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CaptureListener } from '../../adb/device/capture.js'
import { FilmCapture, makeFilm, type Film } from '../../testing/film.js'
import { until } from '../../testing/until.js'
import { createRecordings, type Recordings, type RecordingsParts, type DeviceCaller } from './recordings.js'
import { openRecordingStore } from './store.js'

const execute = promisify(execFile)
const log = createLogger('test')
log.level = process.env['LOG_LEVEL'] ?? 'silent'

const caller: DeviceCaller = {
  serial: 'phone-1',
  phoneId: 'ph_aaaaaaaaaaaa',
  tenant: '',
  fencingNumber: 1n,
  requestId: '',
}
const id = 'rec_aaaaaaaaaaaa'
const soon = () => Progress.for(120_000)

let upright: Film
let wide: Film
beforeAll(async () => {
  ;[upright, wide] = await Promise.all([makeFilm(160, 320, 20), makeFilm(320, 160, 20)])
})

let dir: string
let clock: number
let held: AbortController
let screen: CaptureListener | null
const open: Recordings[] = []
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'phonerack-recordings-'))
  clock = 1000
  held = new AbortController()
  screen = null
})
afterEach(async () => {
  for (const recordings of open.splice(0)) await recordings.close()
  rmSync(dir, { recursive: true, force: true })
})

interface Options {
  limits?: RecordingsParts['limits']
  ffmpeg?: string
}

function start({ limits = { bytes: 1e9, minFree: 0 }, ffmpeg = 'ffmpeg' }: Options = {}): Recordings {
  const capture = new FilmCapture((listener) => {
    screen = listener
    listener.onConfig(upright.config)
    show(upright, 0, 5_000_000)
  })
  const recordings = createRecordings({
    videoOf: () => Promise.resolve({ capture, held: held.signal }),
    store: openRecordingStore(dir),
    programs: { ffmpeg, ffprobe: 'ffprobe' },
    limits,
    log,
    now: () => clock,
    conversionTimes: { retry: 20, spaceCheck: 20, full: 600 },
  })
  open.push(recordings)
  return recordings
}

/** Sends one picture of a film, with a time of the phone's clock. */
function show(film: Film, index: number, ptsUs: number): void {
  const data = film.units[index]
  if (!data || !screen) throw new Error('the film is shorter, or nobody watches')
  screen.onPacket({ data, ptsUs: BigInt(ptsUs), isKeyFrame: index === 0 })
}

/** Sends pictures `from` to `to`, ten a second, and advances the clock. */
function play(film: Film, from: number, to: number): void {
  for (let index = from; index < to; index += 1) {
    clock += 100
    show(film, index, 5_000_000 + (clock - 1000) * 1000)
  }
}

const probed = z.object({
  packets: z.array(z.object({ pts_time: z.coerce.number() })),
  streams: z.tuple([z.object({ width: z.int(), height: z.int(), nb_read_frames: z.coerce.number() })]),
  format: z.object({ duration: z.coerce.number(), format_name: z.string() }),
})

/** Decodes every picture with another reader, without errors. */
async function look(recordings: Recordings, of = id) {
  const file = join(dir, `${of}-copy.mp4`)
  const chunks: Buffer[] = []
  for await (const chunk of recordings.read(of)) chunks.push(chunk as Buffer)
  writeFileSync(file, Buffer.concat(chunks))
  const { stdout, stderr } = await execute('ffprobe', [
    ...['-v', 'error', '-count_frames', '-of', 'json'],
    '-show_entries',
    'packet=pts_time:stream=width,height,nb_read_frames:format=duration,format_name',
    file,
  ])
  expect(stderr).toBe('')
  const { packets, streams, format } = probed.parse(JSON.parse(stdout))
  const content = readFileSync(file)
  const index = content.indexOf('moov')
  expect(index).toBeGreaterThan(0)
  expect(index).toBeLessThan(content.indexOf('mdat'))
  const sha256 = createHash('sha256').update(content).digest('hex')
  const times = packets.map(({ pts_time: seconds }) => Math.round(seconds * 1000))
  return { ...streams[0], times, seconds: format.duration, bytes: content.length, sha256 }
}

const settled = async (recordings: Recordings, of = id) => {
  await until(() => ['ready', 'failed'].includes(recordings.get(of).status), 60_000, 'the file')
  return recordings.get(of)
}

describe('a recording', () => {
  it('holds every picture, and is as long as the recorded time', async () => {
    const recordings = start()
    const startedAt = await recordings.start(caller, id, soon())
    expect(Math.abs(startedAt.getTime() - Date.now())).toBeLessThan(60_000)
    expect(recordings.get(id)).toMatchObject({ status: 'recording', endedAt: null })
    play(upright, 1, 20)
    const stopped = await recordings.stop(id)
    expect(stopped.status).not.toBe('recording')
    const ready = await settled(recordings)
    const video = await look(recordings)
    expect(video).toMatchObject({ width: 160, height: 320, nb_read_frames: 20 })
    expect(video.seconds).toBeCloseTo(1.9, 1)
    expect(video.times).toEqual(Array.from({ length: 20 }, (_, at) => at * 100))
    expect(ready).toMatchObject({ status: 'ready', sizeBytes: video.bytes, sha256: video.sha256 })
    expect(Math.abs(ready.durationMs - 1901)).toBeLessThan(50)
    expect((await recordings.stop(id)).endedAt).toBe(ready.endedAt)
  })

  it('of a still screen lasts until it is stopped', async () => {
    const recordings = start()
    await recordings.start(caller, id, soon())
    clock += 61_500
    await recordings.stop(id)
    const ready = await settled(recordings)
    expect(await look(recordings)).toMatchObject({ nb_read_frames: 1 })
    expect(Math.abs(ready.durationMs - 61_500)).toBeLessThan(50)
  })

  it('of a rotated phone shows both orientations completely, in one size', async () => {
    const recordings = start()
    await recordings.start(caller, id, soon())
    // The two pictures are sent together, as for a still screen: from them alone, ffmpeg would estimate a
    // frame rate.
    clock += 2
    show(upright, 1, 5_002_000)
    clock += 3000
    play(upright, 2, 10)
    screen?.onConfig(wide.config)
    clock += 1500
    play(wide, 0, 10)
    clock += 2000
    await recordings.stop(id)
    const ready = await settled(recordings)
    const video = await look(recordings)
    expect(video).toMatchObject({ width: 320, height: 320, nb_read_frames: 20 })
    const first = Array.from({ length: 8 }, (_, at) => 3102 + at * 100)
    const second = Array.from({ length: 10 }, (_, at) => 3802 + 1600 + at * 100)
    expect(video.times).toEqual([0, 2, ...first, ...second])
    expect(Math.abs(ready.durationMs - (3802 + 2500 + 2000))).toBeLessThan(50)
  })

  it('is not re-encoded for a repeated config', async () => {
    const recordings = start()
    await recordings.start(caller, id, soon())
    play(upright, 1, 5)
    screen?.onConfig(upright.config)
    play(upright, 0, 5)
    await recordings.stop(id)
    await settled(recordings)
    expect(await look(recordings)).toMatchObject({ width: 160, height: 320, nb_read_frames: 10 })
  })

  it("is correct when the phone's clock jumps ahead", async () => {
    const recordings = start()
    await recordings.start(caller, id, soon())
    clock += 100
    show(upright, 1, 5_000_000 + 3600_000_000)
    clock += 400
    show(upright, 2, 5_000_000 + 3600_400_000)
    await recordings.stop(id)
    expect(Math.abs((await settled(recordings)).durationMs - 500)).toBeLessThan(50)
  })
})

describe('it ends automatically', () => {
  it('with its assignment', async () => {
    const recordings = start()
    await recordings.start(caller, id, soon())
    play(upright, 1, 10)
    held.abort()
    expect(await settled(recordings)).toMatchObject({ status: 'ready' })
    expect(await look(recordings)).toMatchObject({ nb_read_frames: 10 })
  })

  it('with the video', async () => {
    const recordings = start()
    await recordings.start(caller, id, soon())
    play(upright, 1, 10)
    screen?.onEnd('scrcpy was killed')
    const ready = await settled(recordings)
    expect(await look(recordings)).toMatchObject({ nb_read_frames: 10 })
    expect(Math.abs(ready.durationMs - 901)).toBeLessThan(50)
  })

  it('before its space is used up, and the recorded part plays', async () => {
    const raw = Buffer.concat(upright.units).length
    const recordings = start({ limits: { bytes: raw * 1.5, minFree: 0 } })
    await recordings.start(caller, id, soon())
    play(upright, 1, 20)
    expect(await settled(recordings)).toMatchObject({ status: 'ready' })
    expect(await look(recordings)).toMatchObject({ nb_read_frames: 20 })
    await expect(
      start({ limits: { bytes: 1, minFree: 0 } }).start(caller, 'rec_bbbbbbbbbbbb', soon()),
    ).rejects.toMatchObject({ code: 'provider_error' })
    await expect(
      start({ limits: { bytes: 1e9, minFree: 1e18 } }).start(caller, 'rec_bbbbbbbbbbbb', soon()),
    ).rejects.toMatchObject({ code: 'provider_error' })
  })
})

describe('after a crash', () => {
  /** The state that a killed agent leaves: a file without an end, with a torn last tag. */
  async function leave(tear: (raw: string) => void): Promise<Recordings> {
    const recordings = start()
    await recordings.start(caller, id, soon())
    play(upright, 1, 20)
    const raw = join(dir, id, 'tape.flv')
    const state = readFileSync(join(dir, id, 'recording.json'))
    const pictures = Buffer.concat(upright.units).length + 20 * 15
    await until(() => existsSync(raw) && statSync(raw).size > pictures, 60_000, 'the raw file to be written')
    const left = readFileSync(raw)
    await recordings.drop(id)
    const again = openRecordingStore(dir)
    writeFileSync(again.rawPath(id), left)
    writeFileSync(join(dir, id, 'recording.json'), state)
    tear(raw)
    return start()
  }

  it('of the agent, the complete part on disk is converted to a video', async () => {
    const recordings = await leave((raw) => truncateSync(raw, statSync(raw).size - 400))
    expect(await settled(recordings)).toMatchObject({ status: 'ready' })
    const { nb_read_frames: frames } = await look(recordings)
    expect(frames).toBeGreaterThanOrEqual(18)
    expect(frames).toBeLessThanOrEqual(20)
  })

  it('of the machine, bytes after the last complete tag are ignored', async () => {
    const recordings = await leave((raw) => appendFileSync(raw, Buffer.from([9, 0xff, 0xff, 0xff, 1, 2, 3])))
    expect(await settled(recordings)).toMatchObject({ status: 'ready' })
    expect(await look(recordings)).toMatchObject({ nb_read_frames: 20 })
  })

  it('of ffmpeg, the conversion is repeated', async () => {
    const broken = join(dir, 'ffmpeg')
    // The program is killed once by SIGKILL while it works.
    const script = `#!/bin/sh
case "$*" in *-version*) exit 0;; esac
for last; do :; done
if [ ! -e "${dir}/died" ]; then touch "${dir}/died"; echo half > "$last"; kill -9 $$; fi
exec ffmpeg "$@"
`
    writeFileSync(broken, script, { mode: 0o755 })
    const recordings = start({ ffmpeg: broken })
    await recordings.start(caller, id, soon())
    play(upright, 1, 20)
    await recordings.stop(id)
    expect(await settled(recordings)).toMatchObject({ status: 'ready' })
    expect(existsSync(join(dir, 'died'))).toBe(true)
    expect(await look(recordings)).toMatchObject({ nb_read_frames: 20 })
  })
})

describe('on a full disk', () => {
  // This device always returns the kernel's error for a full disk. An entry is written to a new file with a random name:
  // a folder at its place lets the rename fail.
  const full = '/dev/full'

  it('a recording whose entry cannot be written does not start', async () => {
    const recordings = start()
    openRecordingStore(dir).rawPath(id)
    mkdirSync(join(dir, id, 'recording.json'))
    await expect(recordings.start(caller, id, soon())).rejects.toMatchObject({ code: 'phone_unavailable' })
    await until(() => !existsSync(join(dir, id)), 60_000, 'the folder to go')
    await recordings.start(caller, id, soon())
  })

  it('a recording ends when writing fails, and gives the reason when no picture was written', async () => {
    const recordings = start()
    symlinkSync(full, openRecordingStore(dir).rawPath(id))
    await recordings.start(caller, id, soon())
    expect(await settled(recordings)).toMatchObject({ status: 'failed', failure: 'no picture was recorded' })
    expect(() => recordings.read(id)).toThrow(expect.objectContaining({ code: 'recording_not_ready' }))
  })

  it("a recording ends when a rotated phone's new size cannot be written, and the recorded part plays", async () => {
    const recordings = start()
    await recordings.start(caller, id, soon())
    play(upright, 1, 10)
    const entry = join(dir, id, 'recording.json')
    renameSync(entry, `${entry}.kept`)
    mkdirSync(entry)
    screen?.onConfig(wide.config)
    rmdirSync(entry)
    renameSync(`${entry}.kept`, entry)
    expect(await settled(recordings)).toMatchObject({ status: 'ready' })
    expect(await look(recordings)).toMatchObject({ nb_read_frames: 10 })
  })

  it('the file is converted once there is space', async () => {
    const recordings = start()
    await recordings.start(caller, id, soon())
    play(upright, 1, 20)
    // The first attempt deletes this large file.
    symlinkSync(full, join(dir, id, 'video.mp4.new'))
    await recordings.stop(id)
    expect(await settled(recordings)).toMatchObject({ status: 'ready' })
    expect(lstatSync(join(dir, id, 'video.mp4')).isFile()).toBe(true)
    expect(await look(recordings)).toMatchObject({ nb_read_frames: 20 })
  })
})

describe('a host keeps', () => {
  it('one recording at a time per phone, and returns the same recording for a repeated start', async () => {
    const recordings = start()
    const [first, again] = await Promise.all([
      recordings.start(caller, id, soon()),
      recordings.start(caller, id, soon()),
    ])
    expect(again).toEqual(first)
    await expect(recordings.start(caller, 'rec_bbbbbbbbbbbb', soon())).rejects.toMatchObject({
      code: 'recording_in_progress',
      details: { recording: id },
    })
    await recordings.stop(id)
    await recordings.start(caller, 'rec_bbbbbbbbbbbb', soon())
  })

  it('no file of a dropped recording, nor of a recording that never started', async () => {
    const recordings = start()
    await recordings.start(caller, id, soon())
    await recordings.drop(id)
    await recordings.drop(id)
    expect(existsSync(join(dir, id))).toBe(false)
    expect(() => recordings.get(id)).toThrow(expect.objectContaining({ code: 'recording_not_found' }))
    held.abort()
    await expect(recordings.start(caller, 'rec_bbbbbbbbbbbb', soon())).rejects.toMatchObject({
      code: 'phone_unavailable',
    })
    await until(() => !existsSync(join(dir, 'rec_bbbbbbbbbbbb')), 60_000, 'the folder to go')
  })

  it('no file of a recording that is dropped during its conversion; the ID is free again', async () => {
    const waiting = join(dir, 'ffmpeg')
    // The program runs until it is killed.
    const script = `#!/bin/sh
case "$*" in *-version*) exit 0;; esac
if [ -e "${dir}/go" ]; then exec ffmpeg "$@"; fi
for last; do :; done
echo half > "$last"; touch "${dir}/works"; exec sleep 60
`
    writeFileSync(waiting, script, { mode: 0o755 })
    const recordings = start({ ffmpeg: waiting })
    await recordings.start(caller, id, soon())
    await recordings.stop(id)
    await until(() => existsSync(join(dir, 'works')), 60_000, 'ffmpeg to work')
    await recordings.drop(id)
    expect(existsSync(join(dir, id))).toBe(false)
    writeFileSync(join(dir, 'go'), '')
    await recordings.start(caller, id, soon())
    play(upright, 1, 5)
    await recordings.stop(id)
    expect(await settled(recordings)).toMatchObject({ status: 'ready' })
    expect(await look(recordings)).toMatchObject({ nb_read_frames: 5 })
  })

  it('no path that a caller names', async () => {
    const recordings = start()
    await expect(recordings.start(caller, '../../etc', soon())).rejects.toMatchObject({
      code: 'validation_failed',
    })
    expect(() => recordings.get('../../etc')).toThrow(
      expect.objectContaining({ code: 'recording_not_found' }),
    )
  })
})
