/** The epoch of the control plane's database that this host has last heard of, over restarts. */
import { z } from 'zod'
import { readJson, writeJsonSynced } from '../base/atomic-file.js'
import type { RememberedEpoch } from './heartbeat.js'

const fileSchema = z.object({ epoch: z.string() })

/** A file that cannot be read counts as none: the control plane says the epoch again. */
export function openEpoch(path: string): RememberedEpoch {
  let epoch = read(path)
  return {
    get: () => epoch,
    set(next) {
      writeJsonSynced(path, { epoch: next })
      epoch = next
    },
  }
}

function read(path: string): string | null {
  try {
    return fileSchema.safeParse(readJson(path)).data?.epoch ?? null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
