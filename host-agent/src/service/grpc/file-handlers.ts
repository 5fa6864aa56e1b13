/** HostService: files in shared storage. */
import { FileType, type HostServiceServer } from '@phonerack/proto'
import type { Logger } from '@phonerack/shared'
import type { FileEntry } from '../../adb/device/device.js'
import type { Registry } from '../../devices/registry.js'
import { callerOf, need, unary } from './call.js'

type FileCalls = Pick<HostServiceServer, 'listFiles' | 'readFile' | 'writeFile' | 'deleteFile'>

const types: Record<FileEntry['type'], FileType> = {
  file: FileType.FILE_TYPE_FILE,
  directory: FileType.FILE_TYPE_DIRECTORY,
  other: FileType.FILE_TYPE_OTHER,
}

export function createFileHandlers(registry: Registry, log: Logger): FileCalls {
  return {
    listFiles: unary(log, 'ListFiles', async ({ assignment, path }, progress) => {
      const caller = callerOf(assignment)
      const entries = await registry
        .gate(caller.serial)
        .read(caller, progress, (device, within) => need(device.files, 'files').list(path, within))
      return {
        entries: entries.map(({ name, type, size, modifiedAt }) => ({
          name,
          type: types[type],
          size: BigInt(size),
          modifiedAt: modifiedAt ?? undefined,
        })),
      }
    }),
    readFile: unary(log, 'ReadFile', async ({ assignment, path }, progress) => {
      const caller = callerOf(assignment)
      const content = await registry
        .gate(caller.serial)
        .read(caller, progress, (device, within) => need(device.files, 'files').read(path, within))
      return { content: Buffer.from(content) }
    }),
    writeFile: unary(log, 'WriteFile', async ({ assignment, path, content }, progress) => {
      const caller = callerOf(assignment)
      const size = await registry
        .gate(caller.serial)
        .write('file', caller, progress, (device, within) =>
          need(device.files, 'files').write(path, content, within),
        )
      return { size: BigInt(size) }
    }),
    deleteFile: unary(log, 'DeleteFile', async ({ assignment, path }, progress) => {
      const caller = callerOf(assignment)
      await registry
        .gate(caller.serial)
        .write('file', caller, progress, (device, within) => need(device.files, 'files').delete(path, within))
      return {}
    }),
  }
}
