/** The settings of an acceptance run, which has no control plane and no identity. Read by `command.ts`. */
import { z } from 'zod'
import { environment, type Config } from './config.js'

export interface AcceptConfig extends Pick<Config, 'adbBin' | 'scrcpyServer' | 'isolated' | 'allowSims'> {
  /** The state folder of this machine's agent; null when this machine has none. */
  agentDir: string | null
  programs: { ffmpeg: string; ffprobe: string }
}

const schema = environment
  .pick({
    PHONERACK_ADB_BIN: true,
    PHONERACK_SCRCPY_SERVER: true,
    PHONERACK_ISOLATED: true,
    PHONERACK_ALLOW_SIMS: true,
    PHONERACK_FFMPEG_BIN: true,
    PHONERACK_FFPROBE_BIN: true,
  })
  .extend({ PHONERACK_DATA_DIR: z.string().optional() })

/** @throws Error that names every invalid variable */
export function readAcceptConfig(env: NodeJS.ProcessEnv): AcceptConfig {
  const parsed = schema.safeParse(env)
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new Error(`configuration: ${issues.join('; ')}`)
  }
  const found = parsed.data
  return {
    adbBin: found.PHONERACK_ADB_BIN,
    scrcpyServer: found.PHONERACK_SCRCPY_SERVER || null,
    isolated: found.PHONERACK_ISOLATED,
    allowSims: found.PHONERACK_ALLOW_SIMS,
    agentDir: found.PHONERACK_DATA_DIR || null,
    programs: { ffmpeg: found.PHONERACK_FFMPEG_BIN, ffprobe: found.PHONERACK_FFPROBE_BIN },
  }
}
