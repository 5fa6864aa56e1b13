/** Reads which programs work: adb, ffmpeg, ffprobe, and other adb servers. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { otherAdbServers } from '../../adb/other-servers.js'
import { readAdbProgram, type AdbProgram } from '../../adb/program.js'
import type { Reading, Readings } from './readings.js'

const run = promisify(execFile)

/** Milliseconds for one program. */
const limit = 15_000

export async function attempt<T>(work: () => T | Promise<T>): Promise<Reading<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    return { failed: reasonOf(error) }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return `${'path' in error ? String(error.path) : 'the program'} does not exist`
  if (code === 'EACCES') return 'permission denied'
  return error.message.split('\n', 1)[0] ?? ''
}

async function output(program: string, args: readonly string[]): Promise<string> {
  const { PATH, LD_LIBRARY_PATH } = process.env
  const { stdout } = await run(program, [...args], {
    timeout: limit,
    killSignal: 'SIGKILL',
    maxBuffer: 1_000_000,
    env: { PATH, LD_LIBRARY_PATH },
  })
  return stdout
}

export const readAdb = (bin: string): Promise<Reading<AdbProgram>> => attempt(() => readAdbProgram(bin))

/** The parts of ffmpeg that recordings use, by the option that lists them. */
const parts = {
  '-decoders': [['h264', 'H.264 decoder']],
  '-encoders': [['libx264', 'H.264 encoder (libx264)']],
  '-demuxers': [['flv', 'FLV reader']],
  '-muxers': [['mp4', 'MP4 writer']],
  '-bsfs': [['setts', 'filter setts']],
} as const

export const readFfmpeg = (bin: string): Promise<Reading<{ missing: string[] }>> =>
  attempt(async () => {
    const missing: string[] = []
    for (const [option, wanted] of Object.entries(parts)) {
      const listed = new Set((await output(bin, ['-hide_banner', option])).split(/[\s,]+/))
      for (const [name, title] of wanted) if (!listed.has(name)) missing.push(title)
    }
    return { missing }
  })

export const readFfprobe = (bin: string): Promise<Reading<string>> =>
  attempt(async () => (await output(bin, ['-version'])).split('\n', 1)[0] ?? '')

/**
 * Returns adb servers without a socket in `ownDir`.
 * @param proc `/proc`
 */
export const readAdbServers = (proc: string, ownDir: string | null): Promise<Readings['adbServers']> =>
  attempt(() => otherAdbServers(proc, ownDir))
