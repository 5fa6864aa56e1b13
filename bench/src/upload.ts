// bench: large uploads and installs: memory of the control plane, and time compared with a bare server
/**
 * A file of the largest size, sent to an upload URL, completed, and installed on a phone: the extra memory of
 * the control plane, and the time of the transfer compared with a bare Node server that writes to the same
 * disk, in turns. `./scripts/bench upload`; ROUNDS changes the number of rounds. Linux only.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { loadavg } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { limits } from '@phonerack/shared'
import { makeApk, newSigner } from '@phonerack/virtual-phone/apk-builder'
import { z } from 'zod'
import type { Answer, Api } from '@phonerack/e2e/system/api.js'
import { pidOf } from '@phonerack/e2e/system/processes.js'
import { startSystem, stopSystem, type System } from '@phonerack/e2e/system/system.js'
import { eventually, newTenant, readyPhone } from '@phonerack/e2e/system/tenant.js'
import { figures, print } from './figures.js'
import { memoryDuring, type Memory } from './memory.js'

const rounds = Number(process.env['ROUNDS'] ?? 5)
const mib = 1024 * 1024
/** The allowed extra memory in bytes. */
const allowed = 150_000_000
/** The size of the archive without the padding. */
const archiveBytes = 100_000
const packageName = 'org.example.large'

const createdSchema = z.object({ id: z.string(), upload_url: z.url(), upload_method: z.string() })
const uploadSchema = z.object({ id: z.string(), status: z.string(), size_bytes: z.int().nullable() })
const installsSchema = z.object({
  data: z.array(z.object({ install: z.string(), status: z.string(), error: z.string().nullable() })),
})

const must = (answer: Answer): unknown => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Streams the file as the body of one request, and returns the answer's JSON. */
async function send(method: string, url: string, file: string): Promise<unknown> {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': (await stat(file)).size }
  const outgoing = httpRequest(url, { method, headers })
  const answered = once(outgoing, 'response')
  await pipeline(createReadStream(file, { highWaterMark: 256 * 1024 }), outgoing)
  const [response] = (await answered) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${body}`)
  return JSON.parse(body) as unknown
}

/** All files have the same signer, since a phone refuses an update with another signature. */
const signer = newSigner('bench')

async function largeApk(file: string, bytes: number): Promise<string> {
  const files = { 'assets/pad': Buffer.alloc(bytes - archiveBytes, 7) }
  await writeFile(file, makeApk({ package: packageName, versionCode: bytes, files }, await signer))
  return file
}

/**
 * Sends the file, completes the upload and waits until it is processed. `sending` gets the milliseconds of
 * the transfer.
 */
async function upload(api: Api, file: string, sending: (ms: number) => void): Promise<string> {
  const created = createdSchema.parse(must(await api.post('/v1/apps/uploads')))
  const start = performance.now()
  const stored = await send(created.upload_method, created.upload_url, file)
  sending(performance.now() - start)
  must(await api.post(`/v1/apps/uploads/${created.id}/complete`, stored))
  const wait = `/v1/apps/uploads/${created.id}?wait=ready`
  let read = uploadSchema.parse(must(await api.get(wait)))
  while (read.status === 'processing') read = uploadSchema.parse(must(await api.get(wait)))
  if (read.status !== 'ready') throw new Error(`the upload is ${JSON.stringify(read)}`)
  return read.id
}

async function install(api: Api, phone: string, uploadId: string): Promise<string> {
  must(await api.post(`/v1/phones/${phone}/apps`, { upload: uploadId }))
  let end = 'running'
  await eventually('the end of the install', 600_000, async () => {
    const { data } = installsSchema.parse((await api.get(`/v1/phones/${phone}/apps/installs`)).body)
    end = data[0]?.error ?? data[0]?.status ?? 'unknown'
    return data[0]?.status !== 'running'
  })
  return end
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0)
function printMemory(what: string, { before, peak, samples }: Memory): void {
  const extra = peak - before
  const verdict = extra < allowed ? 'met' : 'MISSED'
  process.stdout.write(
    `${what}: ${megabytes(before)} MB before, ${megabytes(peak)} MB at most, ${megabytes(extra)} MB extra ` +
      `(${samples} looks; load ${loadavg()[0]?.toFixed(1)}); goal: under ${megabytes(allowed)} MB extra, ${verdict}\n`,
  )
}

async function measure(system: System): Promise<void> {
  const { admin: api } = await newTenant(system)
  const phone = await readyPhone(api, { max_duration: 3600, idle_timeout: 3600 })
  const pid = await pidOf(system, 'control-plane')
  if (pid === null) throw new Error('the control plane does not run')
  const ignore = (): void => undefined
  const large = await largeApk(path.join(system.dir, 'large.apk'), limits.uploads.fileBytes)
  // The first upload and install load code, and the figures must not include that.
  const small = await upload(api, await largeApk(path.join(system.dir, 'small.apk'), mib), ignore)
  await install(api, phone.id, small)
  must(await api.delete(`/v1/apps/uploads/${small}`))

  const bare = spawn(
    process.execPath,
    [fileURLToPath(new URL('bare-upload.js', import.meta.url)), system.dir],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const times: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] }
  try {
    const [port] = (await once(createInterface({ input: bare.stdout }), 'line')) as [string]
    for (let round = 0; round < rounds; round += 1) {
      const start = performance.now()
      await send('PUT', `http://127.0.0.1:${port}/`, large)
      times.bare.push(performance.now() - start)
      const one = () => upload(api, large, (ms) => times.ours.push(ms))
      const [id, memory] = await memoryDuring(pid, one)
      printMemory(`upload of ${(await stat(large)).size} bytes, sent, completed and read`, memory)
      must(await api.delete(`/v1/apps/uploads/${id}`))
    }
  } finally {
    bare.kill('SIGTERM')
    await once(bare, 'exit')
  }
  print(`Sending ${limits.uploads.fileBytes / mib} MiB (load ${loadavg()[0]?.toFixed(1)})`, [
    figures('a bare Node server that writes to disk', times.bare),
    figures('the upload URL', times.ours),
  ])

  const file = await largeApk(path.join(system.dir, 'installed.apk'), 450 * mib)
  const id = await upload(api, file, ignore)
  const [end, memory] = await memoryDuring(pid, () => install(api, phone.id, id))
  printMemory(`install of ${450 * mib} bytes, to the host and onto the phone: ${end}`, memory)
}

const system = await startSystem({
  virtualPhones: 1,
  env: { PHONERACK_REQUESTS_PER_MINUTE: '100000000', LOG_LEVEL: 'warn' },
})
try {
  await measure(system)
} finally {
  await stopSystem(system)
}
