/** The enrolment's probe of shared storage: writes a file, lists it, reads it back and deletes it. */
import { randomBytes } from 'node:crypto'
import { ApiError, type Progress } from '@phonerack/shared'
import type { Transport } from '../../adb/transport.js'
import { attempt, type FoundCapability } from '../../adb/device/attempt.js'
import { createFiles } from './files.js'

export const probeFiles = (transport: Transport, progress: Progress): Promise<FoundCapability> =>
  attempt('files', 'sync', progress, async (within) => {
    const files = createFiles(transport)
    const name = `phonerack-probe ${randomBytes(4).toString('hex')} ü.txt`
    const path = `/sdcard/${name}`
    const content = randomBytes(1000)
    try {
      await files.write(path, content, within)
      if (!(await files.list('/sdcard', within)).some((entry) => entry.name === name))
        throw new Error('a written file is missing from the listing')
      if (!content.equals(await files.read(path, within)))
        throw new Error('a file reads back with different content')
      await files.delete(path, within)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const output = error.details['output']
      throw new Error(typeof output === 'string' ? `${error.message} ${output}` : error.message, {
        cause: error,
      })
    }
    return `${content.length} bytes were written, listed, read back and deleted`
  })
