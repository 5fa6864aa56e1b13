/** The tunnels of the running agent, in a file of its state folder that `doctor` reads. */
import { join } from 'node:path'
import type { Logger } from '@phonerack/shared'
import { z } from 'zod'
import { readJson, writeJson } from '../../base/atomic-file.js'

const stateSchema = z.array(
  z.object({
    replica: z.string(),
    address: z.string(),
    isOpen: z.boolean(),
    /** The reason why the last attempt failed; null when the attempt did not fail. */
    fault: z.string().nullable(),
  }),
)
/** One entry per replica that has offered a tunnel. */
export type TunnelsState = z.infer<typeof stateSchema>

const fileIn = (dataDir: string): string => join(dataDir, 'tunnels.json')

/** @throws Error when the file cannot be read */
export const readTunnels = (dataDir: string): TunnelsState =>
  stateSchema.parse(readJson(fileIn(dataDir)) ?? [])

/** A full disk must not end the agent. */
export function writeTunnels(dataDir: string, state: TunnelsState, log: Logger): void {
  try {
    writeJson(fileIn(dataDir), state)
  } catch (error) {
    log.warn({ err: error }, 'the state of the tunnels could not be written')
  }
}
