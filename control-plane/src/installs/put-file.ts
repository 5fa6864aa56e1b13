/** Streams one stored file into a host's cache; the whole of it is never in memory. */
import { type Readable } from 'node:stream'
import { Metadata, type ClientWritableStream } from '@grpc/grpc-js'
import { type PutPackageFileRequest } from '@phonerack/proto'
import { type Progress } from '@phonerack/shared'
import { requireConnection, toFailure } from '../hosts/calls.js'
import { type HostConnection } from '../hosts/clients.js'
import { type FileStore } from '../storage/file-store.js'
import { type InstallFiles } from './records.js'

/** Bytes of one message, as the proto says. */
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
  const answered = new Promise<void>((resolve, reject) => {
    call = connection.client.putPackageFile(new Metadata(), { deadline }, (error) =>
      error ? reject(error) : resolve(),
    )
  })
  if (!call) throw new Error('gRPC made no call')
  const stream = call
  const cancel = (): void => stream.cancel()
  progress.signal.addEventListener('abort', cancel, { once: true })
  try {
    for await (const message of messages(file, content)) {
      // A call that has failed never says that a message was written.
      const written = new Promise<boolean>((resolve) => stream.write(message, () => resolve(true)))
      if (!(await Promise.race([written, answered.then(() => false)]))) break
    }
    stream.end()
    await answered
    connection.breaker.succeeded()
  } catch (error) {
    stream.cancel()
    throw toFailure(error, connection)
  } finally {
    progress.signal.removeEventListener('abort', cancel)
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
