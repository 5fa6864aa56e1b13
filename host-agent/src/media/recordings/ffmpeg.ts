/**
 * Converts the file of an ended recording to MP4 and inspects the result. No client
 * input reaches ffmpeg's command line: the agent chooses all paths and numbers. Used by
 * `finish.ts`.
 */
import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { z } from 'zod'

export interface Programs {
  ffmpeg: string
  ffprobe: string
}

class ProgramFailed extends Error {
  constructor(
    program: string,
    readonly output: string,
  ) {
    super(`${program} failed: ${output}`)
    this.name = 'ProgramFailed'
  }
}

const fullCodes = ['ENOSPC', 'EDQUOT']
const fullTexts = ['No space left on device', 'Disk quota exceeded']

/** Whether a program, or a write of the agent, failed because the disk is full. A later retry can succeed. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof ProgramFailed
    ? fullTexts.some((text) => error.output.includes(text))
    : error instanceof Error && 'code' in error && fullCodes.includes(String(error.code))

/**
 * The conversion has a low priority, since clients wait for the other processes of the host and not for a
 * conversion.
 */
const niceness = 10
const maxOutput = 20_000

/** Runs a program and returns its output. @throws ProgramFailed, including after an abort or timeout */
export function run(
  program: string,
  args: readonly string[],
  ms: number,
  stopping: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      // The program reads a tenant's video, so it does not get the agent's environment.
      env: { PATH: process.env['PATH'], LD_LIBRARY_PATH: process.env['LD_LIBRARY_PATH'] },
      timeout: ms,
      signal: stopping,
      killSignal: 'SIGKILL',
    })
    let out = ''
    let errors = ''
    child.stdout.on('data', (chunk: Buffer) => {
      if (out.length < maxOutput) out += chunk.toString('utf8')
    })
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString('utf8')).slice(-maxOutput)
    })
    child.once('error', (error) => reject(new ProgramFailed(program, error.message)))
    child.once('close', (code, killed) => {
      if (code === 0) resolve(out)
      else reject(new ProgramFailed(program, `${killed ?? `code ${String(code)}`} ${errors.trim()}`))
    })
    if (child.pid !== undefined) lowerPriority(child.pid)
  })
}

/** Ignores a process that has already ended. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SYSTEM_ERROR')) throw error
  }
}

interface Mp4Input {
  from: string
  to: string
  /** Milliseconds: the time of the last picture, and the time of the recording's end. */
  lastPictureMs: number
  endMs: number
  /** All pictures have the same configuration, so they need no new encoding. */
  isUniform: boolean
  /** Pixels that contain every picture. */
  canvas: { width: number; height: number }
}

/** Milliseconds. */
const times = { copy: 20 * 60_000, encode: 6 * 3600_000, probe: 60_000 }
/** Seconds added to all times: `setts` can compute its time unit only from a first picture after 0. */
const offset = 10

/**
 * Writes an MP4 file with its index at the start. Its last picture lasts until `endMs`.
 * @throws ProgramFailed
 */
export async function makeMp4(ffmpeg: string, input: Mp4Input, stopping: AbortSignal): Promise<void> {
  const seconds = (ms: number): string => (ms / 1000).toFixed(3)
  const last = seconds(input.lastPictureMs + offset * 1000)
  const hold = seconds(Math.max(1, input.endMs - input.lastPictureMs))
  // Half a millisecond of tolerance, since times are rounded to the file's unit.
  const isLast = `gte(PTS\\,STARTPTS*(${last}-0.0005)/${offset})`
  const video = input.isUniform ? ['-c:v', 'copy'] : encoding(input.canvas)
  await run(
    ffmpeg,
    [
      ...['-v', 'error', '-nostdin', '-y', '-protocol_whitelist', 'file,pipe'],
      ...['-copyts', '-itsoffset', String(offset), '-f', 'flv', '-i', input.from, '-map', '0:v:0'],
      ...video,
      ...['-bsf:v', `setts=duration=if(${isLast}\\,round(PTS*${hold}/${last})\\,DURATION)`],
      ...['-avoid_negative_ts', 'make_zero', '-movflags', '+faststart', '-f', 'mp4', input.to],
    ],
    input.isUniform ? times.copy : times.encode,
    stopping,
  )
}

/** Scales pictures of several sizes to one size, each complete and centred. */
function encoding({ width, height }: Mp4Input['canvas']): string[] {
  const even = (pixels: number): number => pixels + (pixels % 2)
  const [w, h] = [even(width), even(height)]
  return [
    ...[
      '-vf',
      `scale=${w}:${h}:force_original_aspect_ratio=decrease,pad=${w}:${h}:(ow-iw)/2:(oh-ih)/2,setsar=1`,
    ],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '21', '-bf', '0', '-pix_fmt', 'yuv420p'],
    // Keeps times in milliseconds: otherwise the encoder's unit is the frame rate that
    // ffmpeg estimates from the first pictures.
    ...['-fps_mode', 'passthrough', '-enc_time_base', '1:1000', '-threads', '1'],
  ]
}

const probeSchema = z.object({
  streams: z.array(z.object({ codec_name: z.literal('h264'), width: z.int(), height: z.int() })).length(1),
  format: z.object({ duration: z.coerce.number().positive(), size: z.coerce.number().positive() }),
})

interface Probed {
  durationMs: number
  width: number
  height: number
}

/**
 * Inspects a video.
 * @throws ProgramFailed, ZodError when the file is not a playable video
 */
export async function probe(ffprobe: string, path: string, stopping: AbortSignal): Promise<Probed> {
  const fields = 'stream=codec_name,width,height:format=duration,size'
  const args = [
    '-v',
    'error',
    '-protocol_whitelist',
    'file,pipe',
    '-of',
    'json',
    '-show_entries',
    fields,
    path,
  ]
  const { streams, format } = probeSchema.parse(JSON.parse(await run(ffprobe, args, times.probe, stopping)))
  const [stream] = streams
  return {
    durationMs: Math.round(format.duration * 1000),
    width: stream?.width ?? 0,
    height: stream?.height ?? 0,
  }
}

/** Null when this host can record; otherwise the reason, for the log. */
export async function missingProgram({ ffmpeg, ffprobe }: Programs): Promise<string | null> {
  for (const program of [ffmpeg, ffprobe]) {
    try {
      await run(program, ['-version'], 20_000, new AbortController().signal)
    } catch (error) {
      if (error instanceof ProgramFailed) return error.message
      throw error
    }
  }
  return null
}
