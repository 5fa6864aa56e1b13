/** Sends an APK to the service, which checks it. */
import { openAsBlob } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Connection } from './connection.js'
import { ConnectionError, errorOf, PhonerackError, unexpectedAnswer } from './errors.js'
import { completeUpload, createUpload, getUpload } from './generated/sdk.gen.js'
import type { CreatedUpload, Upload } from './generated/types.gen.js'
import { pause, reasonOf } from './pause.js'
import type { CallOptions } from './transport.js'
import { pauseMs } from './until-ready.js'

/** A path, a `file:` URL, or the bytes of an APK. */
export type AppFile = string | URL | Uint8Array | Blob

export interface UploadProgress {
  part: 'uploading' | 'processing'
  /** The sent part of the bytes, 0 to 1, while uploading. */
  fraction: number | null
}

export interface UploadOptions extends CallOptions {
  onProgress?: ((progress: UploadProgress) => void) | undefined
}

/** Bytes of a piece, after each of which the progress is reported. */
const step = 1 << 20
/** Seconds that one read waits. */
const waitSeconds = 50

/**
 * Returns the upload once it is ready. If the project already has an upload of the same file, returns that upload.
 * @throws PhonerackError
 */
export async function uploadFile(
  connection: Connection,
  file: AppFile,
  { onProgress, ...options }: UploadOptions & { signal: AbortSignal },
): Promise<Upload> {
  const blob = await blobOf(file)
  const created = await createUpload({ ...connection.sending(options) })
  const storageId = await sendFile(connection, created, blob, options.signal, (fraction) =>
    onProgress?.({ part: 'uploading', fraction }),
  )
  onProgress?.({ part: 'processing', fraction: null })
  const path = { id: created.id }
  const body = { storage_id: storageId }
  let upload = await completeUpload({ ...connection.sending(options), path, body })
  while (upload.status === 'processing') {
    const query = { wait: 'ready', timeout: waitSeconds } as const
    await pause(pauseMs, options.signal)
    upload = await getUpload({ ...connection.sending(options), path: { id: upload.id }, query })
  }
  if (upload.status === 'ready') return upload
  const { error } = upload
  throw new PhonerackError({
    code: error?.code ?? upload.status,
    type: 'invalid_request_error',
    retryable: false,
    message: error?.message ?? `The upload is ${upload.status}.`,
    next: error?.next ?? null,
    details: { upload: upload.id, status: upload.status },
  })
}

async function blobOf(file: AppFile): Promise<Blob> {
  if (file instanceof Blob) return file
  if (file instanceof Uint8Array) return new Blob([file as BlobPart])
  return openAsBlob(file instanceof URL ? fileURLToPath(file) : file)
}

/**
 * Sends no API key, because the upload URL works like a password. The request is not repeated, because the URL takes
 * one file.
 */
async function sendFile(
  { fetch }: Connection,
  { upload_url: url, upload_method: method, upload_headers: headers, max_bytes: most }: CreatedUpload,
  blob: Blob,
  signal: AbortSignal,
  onFraction: (fraction: number) => void,
): Promise<string> {
  if (blob.size > most)
    throw new PhonerackError({
      code: 'payload_too_large',
      type: 'invalid_request_error',
      retryable: false,
      next: null,
      message: `The file has ${blob.size} bytes; at most ${most} are allowed.`,
      details: { max_bytes: most },
    })
  let response: Response
  let text: string
  try {
    const request = {
      method,
      signal,
      redirect: 'error',
      duplex: 'half',
      headers: { ...headers, 'content-length': String(blob.size) },
      body: piecesOf(blob, onFraction),
    }
    response = await fetch(url, request as RequestInit)
    text = await response.text()
  } catch (error) {
    if (signal.aborted) throw reasonOf(signal, true)
    throw new ConnectionError('connection_failed', 'The upload broke off.', false, error)
  }
  if (!response.ok) throw errorOf(response.status, text)
  const storageId = storageIdIn(text)
  if (storageId === null) throw unexpectedAnswer(response.status, 'without a file ID')
  return storageId
}

function storageIdIn(text: string): string | null {
  try {
    const { storageId } = JSON.parse(text) as { storageId?: unknown }
    return typeof storageId === 'string' ? storageId : null
  } catch {
    // A page of a proxy.
    return null
  }
}

/** Returns the file in pieces of 1 MiB, since some runtimes return a file in memory as one piece. */
function piecesOf(blob: Blob, onFraction: (fraction: number) => void): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream({
    async pull(controller) {
      if (sent >= blob.size) return controller.close()
      const piece = await blob.slice(sent, sent + step).arrayBuffer()
      controller.enqueue(new Uint8Array(piece))
      sent += piece.byteLength
      onFraction(sent / blob.size)
    },
  })
}
