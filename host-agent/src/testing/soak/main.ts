/**
 * Hours of recording in minutes: checks that the agent's memory stays flat and the file is correct. Prints
 * figures as JSON; exits with 1 when one is out of range. Linux only. `node
 * host-agent/dist/testing/soak/main.js [seconds] [speed] [bits a second]`, by `scripts/bench recording` for
 * hours and by a test for minutes. During the first half minute, the process itself still grows.
 */
import { execFile, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { later } from '../../base/later.js'
import { makeFilm } from './film.js'
import { startFilmPhone } from './phone.js'
import type { RecorderMessage } from './recorder.js'

const execute = promisify(execFile)
const [seconds = 10_800, speed = 20, bitRate = 2_000_000] = process.argv.slice(2).map(Number)
const rate = 30
/** The size that the capture requests from phones. */
const size = { width: 576, height: 1280 }
const sampleMs = 250
/** Allowed growth from the first to the last third in bytes, and allowed error of times in milliseconds. */
const allowed = { bytes: 24 * 2 ** 20, ms: 200 }
const programs = {
  ffmpeg: process.env['FFMPEG_BIN'] ?? 'ffmpeg',
  ffprobe: process.env['PHONERACK_FFPROBE_BIN'] ?? 'ffprobe',
}

async function residentBytes(pid: number): Promise<number> {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))
  if (!match) throw new Error(`the memory of process ${pid} is unknown`)
  return Number(match[1]) * 1024
}

/** Samples four times a second until `over` aborts. */
async function sample(pid: number, over: AbortSignal): Promise<number[]> {
  const found: number[] = []
  while (!over.aborted) {
    found.push(await residentBytes(pid))
    await new Promise((resolve) => setTimeout(resolve, sampleMs))
  }
  return found
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const isWithin = (ms: number, { least, most }: { least: number; most: number }): boolean =>
  ms >= least - allowed.ms && ms <= most + allowed.ms

/** Returns the number of pictures in a file, and the time of the last picture in milliseconds. */
async function picturesOf(file: string): Promise<{ pictures: number; lastMs: number }> {
  const args = ['-v', 'error', '-show_entries', 'packet=pts_time', '-of', 'csv=p=0', file]
  const { stdout } = await execute(programs.ffprobe, args, { maxBuffer: 64 << 20 })
  const times = stdout.split('\n').filter((line) => line !== '')
  return { pictures: times.length, lastMs: Math.round(Number.parseFloat(times.at(-1) ?? '') * 1000) }
}

function listen(child: ChildProcess): { started: Promise<RecorderMessage>; over: Promise<RecorderMessage> } {
  const [started, over] = [later<RecorderMessage>(), later<RecorderMessage>()]
  child.on('message', (told: RecorderMessage) => (told.type === 'started' ? started : over).resolve(told))
  const died = once(child, 'exit').then(([code]): never => {
    throw new Error(`the recorder ended with ${String(code)}`)
  })
  // The reader ends even when it is no longer awaited.
  died.catch(() => undefined)
  return { started: Promise.race([started.promise, died]), over: Promise.race([over.promise, died]) }
}

const frames = Math.round(seconds * rate)
const dir = await mkdtemp(join(tmpdir(), 'phonerack-soak-'))
const film = await makeFilm({ ...size, frames: Math.min(frames, 90), rate, bitRate, ffmpeg: programs.ffmpeg })
const phone = await startFilmPhone(join(dir, 'socket'), { film, frames, rate, speed })
const child = fork(
  fileURLToPath(new URL('recorder.js', import.meta.url)),
  [join(dir, 'socket'), join(dir, 'recordings'), String(speed), programs.ffmpeg, programs.ffprobe],
  { serialization: 'advanced' },
)
try {
  const { started, over } = listen(child)
  await started
  const startedAt = performance.now()
  const [recording, finishing] = [new AbortController(), new AbortController()]
  const pid = child.pid ?? 0
  const recordingSamples = sample(pid, recording.signal)
  await Promise.race([phone.shown, over])
  const realSeconds = Math.round((performance.now() - startedAt) / 1000)
  recording.abort()
  const samples = await recordingSamples
  const finishingSamples = sample(pid, finishing.signal)
  child.send('stop')
  const told = await over.finally(() => finishing.abort())
  if (told.type !== 'over' || told.entry.status !== 'ready') throw new Error(JSON.stringify(told))
  const { entry, recordedMs } = told
  const { durationMs, sizeBytes } = entry
  const video = join(dir, 'recordings', entry.id, 'video.mp4')
  const { pictures, lastMs } = await picturesOf(video)
  const third = Math.floor(samples.length / 3)
  const thirds = [0, 1, 2].map((nth) => median(samples.slice(nth * third, (nth + 1) * third)))
  const mib = (bytes: number): number => Number((bytes / 2 ** 20).toFixed(1))
  const figures = {
    phoneSeconds: seconds,
    speed,
    realSeconds,
    pictures: { sent: frames, kept: pictures },
    lastPictureMs: { sent: Math.round(((frames - 1) * 1000) / rate), kept: lastMs },
    durationMs: { ...recordedMs, kept: durationMs },
    fileMib: mib(sizeBytes),
    finishedInMs: told.tookMs,
    residentMib: {
      thirds: thirds.map(mib),
      least: mib(Math.min(...samples)),
      peak: mib(Math.max(...samples)),
      peakWhileFinishing: mib(Math.max(...(await finishingSamples))),
    },
    samples: samples.length,
  }
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
  const wrong = [
    ...(pictures === frames ? [] : ['pictures are missing']),
    ...(Math.abs(lastMs - figures.lastPictureMs.sent) <= allowed.ms ? [] : ['the last picture stands wrong']),
    ...(isWithin(durationMs, recordedMs) ? [] : ['the length is wrong']),
    ...((thirds[2] ?? NaN) - (thirds[0] ?? NaN) <= allowed.bytes ? [] : ['the memory grew']),
  ]
  if (wrong.length > 0) throw new Error(wrong.join('; '))
} finally {
  phone.close()
  if (child.exitCode === null) child.kill('SIGKILL')
  await rm(dir, { recursive: true, force: true })
}
