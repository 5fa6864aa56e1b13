/** `phonerack-agent health`: whether the agent of this state folder works, for the health check of a container. */
import path from 'node:path'
import { Progress } from '@phonerack/shared'
import { AdbClient } from './adb/client.js'
import { findMarked } from './adb/process-identity.js'
import { adbSocketPath } from './adb/server.js'
import type { Io } from './cli/io.js'
import type { Config } from './config.js'

const limitMs = 4000

/** @param config the valid configuration, or its problem @returns the exit code */
export async function runHealth(config: Config | { problem: string }, io: Io): Promise<number> {
  const fault = 'problem' in config ? config.problem : await faultOf(config.dataDir)
  io.out(fault === null ? 'ok\n' : `${fault}\n`)
  return fault === null ? 0 : 1
}

async function faultOf(dataDir: string): Promise<string | null> {
  if (findMarked(path.join(dataDir, 'agent.json')) === null) return `no agent runs in ${dataDir}`
  try {
    await new AdbClient(adbSocketPath(dataDir)).devices(Progress.for(limitMs))
    return null
  } catch (error) {
    return `the adb server of the agent does not answer: ${error instanceof Error ? error.message : String(error)}`
  }
}
