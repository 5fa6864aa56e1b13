/** Requests of upload tests to a listening plane, and files for upload URLs. */
import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { type AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect } from 'vitest'
import { type UploadJson } from '../api/routes/apps/schemas.js'
import { type Plane, type Tenant } from './world.js'
import { createKey } from './operator.js'

export interface Created extends UploadJson {
  upload_url: string
  upload_method: string
  upload_headers: Record<string, string>
  max_bytes: number
}

export interface Answer<T = Record<string, unknown>> {
  status: number
  headers: Headers
  body: T & {
    error?: { code: string; retryable: boolean; next: string | null; details: Record<string, unknown> }
  }
}

export interface UploadClient {
  origin: string
  request<T>(method: string, url: string, body?: unknown): Promise<Answer<T>>
  create(): Promise<Created>
  /** Sends a file and completes the upload. */
  send(created: Created, file: Buffer | Readable): Promise<Answer<{ storageId: string }>>
  complete(id: string, storageId: string): Promise<Answer<UploadJson>>
  /** Creates, sends and completes, and returns the processed upload. */
  upload(file: Buffer): Promise<UploadJson>
  get(id: string): Promise<UploadJson>
}

/** A client with the tenant's key. The plane listens after this call. */
export async function uploadClient(plane: Plane, tenant: { key: string }): Promise<UploadClient> {
  if (!plane.server.server.listening) await plane.server.listen({ host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${(plane.server.server.address() as AddressInfo).port}`
  const request: UploadClient['request'] = async (method, url, body) => {
    const response = await fetch(`${origin}${url}`, {
      method,
      headers: {
        authorization: `Bearer ${tenant.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return answerOf(response)
  }
  const client: UploadClient = {
    origin,
    request,
    async create() {
      const { status, body } = await request<Created>('POST', '/v1/apps/uploads')
      expect(status, JSON.stringify(body)).toBe(201)
      return body
    },
    send: (created, file) => sendFile(origin, created, file),
    complete: (id, storageId) =>
      request<UploadJson>('POST', `/v1/apps/uploads/${id}/complete`, { storage_id: storageId }),
    async upload(file) {
      const created = await client.create()
      const { body } = await client.send(created, file)
      const completed = await client.complete(created.id, body.storageId)
      if (completed.status !== 202) return completed.body
      return (await request<UploadJson>('GET', `/v1/apps/uploads/${created.id}?wait=ready`)).body
    },
    get: async (id) => (await request<UploadJson>('GET', `/v1/apps/uploads/${id}`)).body,
  }
  return client
}

/**
 * A stream is sent in chunks without a length. Only the path of the URL is used, since the host is the
 * configured host.
 */
async function sendFile(
  origin: string,
  { upload_url, upload_method, upload_headers }: Created,
  file: Buffer | Readable,
): Promise<Answer<{ storageId: string }>> {
  const response = await fetch(`${origin}${new URL(upload_url).pathname}`, {
    method: upload_method,
    headers: upload_headers,
    body: Buffer.isBuffer(file) ? new Uint8Array(file) : (Readable.toWeb(file) as ReadableStream),
    duplex: 'half',
  })
  return answerOf(response)
}

const answerOf = async <T>(response: Response): Promise<Answer<T>> => ({
  status: response.status,
  headers: response.headers,
  body: (await response.json()) as Answer<T>['body'],
})

/** Creates a key of the tenant's project that is limited to phones. */
export async function limitedKey(plane: Plane, tenant: Tenant, phones: string[]): Promise<string> {
  return (
    await createKey(plane.app.core, { project: tenant.projectId, preset: 'agent', phones, expires: 'never' })
  ).key
}

/**
 * IDs of the files in the plane's folder, without the one-byte files by which replicas notice whether they
 * share the folder.
 */
export async function storedFiles(plane: Plane): Promise<string[]> {
  const folder = path.join(plane.config.storage.dir, 'files')
  const files = await readdir(folder)
  const sizes = await Promise.all(files.map((file) => stat(path.join(folder, file)).catch(() => null)))
  return files.filter((_, at) => (sizes[at]?.size ?? 0) > 1)
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
