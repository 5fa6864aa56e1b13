/** HostService: apps of the phone, and installs. */
import type { sendUnaryData, ServerReadableStream } from '@grpc/grpc-js'
import type {
  HostServiceServer,
  PackageFile,
  PutPackageFileRequest,
  PutPackageFileResponse,
} from '@phonerack/proto'
import { ApiError, type Logger } from '@phonerack/shared'
import type { FileHeader } from '../../devices/installs/cache.js'
import type { Installs } from '../../devices/installs/installs.js'
import type { Registry } from '../../devices/registry.js'
import { answer, callerOf, need, unary } from './call.js'
import { toApiError, toServiceError } from './errors.js'

type AppCalls = Pick<
  HostServiceServer,
  'listApps' | 'beginInstall' | 'putPackageFile' | 'finishInstall' | 'uninstallApp'
>

export function createAppHandlers(registry: Registry, installs: Installs, log: Logger): AppCalls {
  return {
    listApps: unary(log, 'ListApps', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      const apps = await registry
        .gate(caller.serial)
        .read(caller, progress, (device, within) => need(device.packages, 'apps').list(within))
      return { apps: apps.map((app) => ({ ...app, versionCode: BigInt(app.versionCode) })) }
    }),
    beginInstall: unary(log, 'BeginInstall', async ({ assignment, files, ...request }, progress) => {
      const caller = callerOf(assignment)
      const begin = {
        id: request.installId,
        package: request.package,
        versionCode: Number(request.versionCode),
        files: files.map(headerOf),
        replace: request.replace,
        needs: request.needs ?? null,
      }
      const begun = await progress.race('the beginning of the install', () => installs.begin(caller, begin))
      return { missingSha256: begun.missing, uninstalled: begun.uninstalled }
    }),
    putPackageFile: (call, callback) => {
      void answer(call, log, 'PutPackageFile', async (progress) => {
        const { header, chunks } = await readStart(call)
        await installs.put(header, chunks, progress)
      })
        // Discards the rest of a file that was refused or already exists.
        .finally(() => call.resume())
        .then(...settle(callback, log))
    },
    finishInstall: unary(log, 'FinishInstall', async ({ assignment, installId }, progress) => {
      const caller = callerOf(assignment)
      // When the caller disconnects, the install continues, and a repeated call waits for the same install.
      return progress.race('the install', () => installs.finish(caller, installId))
    }),
    uninstallApp: unary(log, 'UninstallApp', async ({ assignment, package: name }, progress) => {
      const caller = callerOf(assignment)
      await registry
        .gate(caller.serial)
        .write('uninstall', caller, progress, (device, within) =>
          need(device.packages, 'apps').uninstall(name, within),
        )
      return {}
    }),
  }
}

const headerOf = ({ sha256, size }: PackageFile): FileHeader => ({ sha256, size: Number(size) })

const settle = (callback: sendUnaryData<PutPackageFileResponse>, log: Logger) =>
  [() => callback(null, {}), (error: unknown) => callback(toServiceError(toApiError(error, log)))] as const

type FileStream = ServerReadableStream<PutPackageFileRequest, PutPackageFileResponse>

/** Reads the header. Returns it with the bytes after it, which are read only as fast as they are used. */
async function readStart(
  call: FileStream,
): Promise<{ header: FileHeader; chunks: AsyncIterable<Uint8Array> }> {
  const messages = (call as AsyncIterable<PutPackageFileRequest>)[Symbol.asyncIterator]()
  const first = await messages.next()
  const part = first.done ? undefined : first.value.part
  if (part?.$case !== 'header') {
    throw new ApiError('validation_failed', { message: 'The first message must contain the header.' })
  }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let next = await messages.next(); !next.done; next = await messages.next()) {
      const { part: chunk } = next.value
      if (chunk?.$case !== 'chunk')
        throw new ApiError('validation_failed', { message: 'Only chunks may follow the header.' })
      yield chunk.value
    }
  }
  return { header: headerOf(part.value), chunks: chunks() }
}
