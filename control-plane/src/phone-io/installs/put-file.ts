/** Streams one stored file into a host's cache, without holding the file in memory. */
import { type Readable } from 'node:stream'
import { Metadata, type ClientWritableStream, type ServiceError } from '@grpc/grpc-js'
import { type PutPackageFileRequest } from '@phonerack/proto'
import { type Progress } from '@phonerack/shared'
import { requireConnection, toFailure } from '../../links/host-calls/calls.js'
import { type HostConnection } from '../../links/host-calls/clients.js'
import { type FileStore } from '../../files/storage/file-store.js'
import { type InstallFiles } from './records.js'

/** Bytes per message, as the proto requires. */
const chunkBytes = 64 * 1024

/** @throws CallFailure, StoredFileMissing */
export async function putPackageFile(
  connection: HostConnection,
  file: InstallFiles[0],
  store: FileStore,
  progress: Progress,
): Promise<void> {
  await requireConnection(connection, progress)
  const content = await store.read(file.storageId)
  const deadline = Date.now() + progress.remaining
  let call: ClientWritableStream<PutPackageFileRequest> | undefined
  // A promise that each message races against would retain all messages until it settles.
  const answer = { isThere: false, wake: (): void => undefined }
  const answered = new Promise<ServiceError | null>((resolve) => {
    call = connection.client.putPackageFile(new Metadata(), { deadline }, (error) => {
      answer.isThere = true
      answer.wake()
      resolve(error)
    })
  })
  if (!call) throw new Error('gRPC did not start a call')
  const stream = call
  const forget = progress.onAbort(() => stream.cancel())
  try {
    for await (const message of messages(file, content)) {
      if (answer.isThere) break
      await new Promise<void>((resolve) => {
        // A failed call never reports that a message was written, so a failure must end this wait too.
        answer.wake = resolve
        stream.write(message, () => resolve())
      })
    }
    stream.end()
    const error = await answered
    if (error) throw error
  } catch (error) {
    stream.cancel()
    throw toFailure(error)
  } finally {
    forget()
    content.destroy()
  }
}

async function* messages(file: InstallFiles[0], content: Readable): AsyncGenerator<PutPackageFileRequest> {
  const { name, sha256, size } = file
  yield { part: { $case: 'header', value: { name, sha256, size: BigInt(size) } } }
  for await (const bytes of content as AsyncIterable<Buffer>)
    for (let at = 0; at < bytes.length; at += chunkBytes)
      yield { part: { $case: 'chunk', value: bytes.subarray(at, at + chunkBytes) } }
}
