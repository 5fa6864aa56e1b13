/** Runs the soak of recordings (`host-agent/src/testing/soak/main.ts`) and returns its figures. Used by a test and a bench. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { root } from './system.js'

const execute = promisify(execFile)
/** The seconds that the phone sent or that our clock measured, and the seconds in the file. */
const compared = z.object({ sent: z.number(), kept: z.number() })

const figuresSchema = z.object({
  phoneSeconds: z.number(),
  speed: z.number(),
  realSeconds: z.number(),
  pictures: compared,
  lastPictureMs: compared,
  /** The seconds that our clock measured between the bounds of a stall, and the seconds in the file. */
  durationMs: z.object({ least: z.number(), most: z.number(), kept: z.number() }),
  fileMib: z.number(),
  finishedInMs: z.number(),
  /** MiB: the median of each third of the recording. */
  residentMib: z.object({
    thirds: z.tuple([z.number(), z.number(), z.number()]),
    least: z.number(),
    peak: z.number(),
    peakWhileFinishing: z.number(),
  }),
  samples: z.number(),
})
export type SoakFigures = z.infer<typeof figuresSchema>

/**
 * @param args seconds of the phone, speed, bits a second
 * @throws Error when memory grew or the file is wrong
 */
export async function runSoak(args: readonly string[]): Promise<SoakFigures> {
  const main = path.join(root, 'host-agent/dist/testing/soak/main.js')
  const { stdout } = await execute(process.execPath, [main, ...args], { timeout: 3_600_000 })
  return figuresSchema.parse(JSON.parse(stdout))
}
