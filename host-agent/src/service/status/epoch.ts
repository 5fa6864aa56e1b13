/** The last known epoch of the control plane's database, kept over restarts. */
import { z } from 'zod'
import { readJson, writeJsonSynced } from '../../base/atomic-file.js'
import type { RememberedEpoch } from './heartbeat.js'

const fileSchema = z.object({ epoch: z.string() })

/** An unreadable file counts as missing: the control plane announces the epoch again. */
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
