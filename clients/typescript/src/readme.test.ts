/** The examples of the README run word by word, over a server that answers like the API. Needs the build. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterEach, beforeEach, expect, it } from 'vitest'

const run = promisify(execFile)
const root = path.join(import.meta.dirname, '..')
const readme = await readFile(path.join(root, 'README.md'), 'utf8')
const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)

const [id, time] = ['ph_aaaaaaaaaaaa', '2026-01-01T00:00:00.000Z']
const soon = new Date(Date.now() + 600_000).toISOString()
const phone = (status: string) => ({
  id,
  object: 'phone',
  name: 'notes',
  status,
  country: null,
  metadata: {},
  failure: null,
  created_at: time,
  last_active_at: null,
  session: null,
})
const element = {
  ref: 1,
  type: 'EditText',
  text: 'hello from an agent',
  desc: null,
  id: null,
  bounds: [0, 0, 10, 10],
  center: [5, 5],
  state: [],
}
const observation = {
  snapshot_id: 'snp_a',
  taken_at: time,
  truncated: false,
  text: '[1] EditText "hello from an agent"',
  app: { package: 'com.phonerack.notes', activity: null },
  screen: { width: 100, height: 200 },
  keyboard: { visible: false, focused_editable: false },
  elements: [element],
}

/** Answers by method and path below the phone, or below `/v1`. */
const answers = (baseUrl: string): Record<string, (body: string) => object> => ({
  'POST /phones': () => phone('ready'),
  'POST /park': () => phone('parked'),
  'GET /observe': () => observation,
  'POST /actions': (body) => {
    const { actions } = JSON.parse(body) as { actions: { type: string }[] }
    const results = actions.map(({ type }, index) => ({ index, type, ok: true, ms: 1 }))
    return { results, completed: results.length, observation }
  },
  'POST /handoffs': () => ({ id: 'hnd', url: `${baseUrl}/h`, expires_at: soon, status: 'open' }),
  'GET /handoffs/hnd': () => ({ id: 'hnd', status: 'done', note: 'Signed in.' }),
  'POST /apps/uploads': () => ({
    id: 'upl',
    status: 'awaiting_file',
    upload_url: `${baseUrl}/v1/store`,
    upload_method: 'POST',
    upload_headers: {},
    max_bytes: 1000,
  }),
  'POST /store': () => ({ storageId: 'st' }),
  'POST /apps/uploads/upl/complete': () => ({ id: 'upl', status: 'ready', error: null }),
  'POST /apps': () => ({ package: 'a.b', install: 'ins', status: 'running' }),
  'GET /apps/installs': () => ({
    data: [{ package: 'a.b', install: 'ins', status: 'succeeded', error: null, next: null }],
  }),
  'POST /recordings': () => ({ id: 'rec', status: 'recording' }),
  'POST /recordings/rec/stop': () => ({ id: 'rec', status: 'processing' }),
  'GET /recordings': () => ({ data: [{ id: 'rec', status: 'ready' }] }),
  'GET /recordings/rec/video': () => Buffer.from('mp4'),
  'PUT /files': (body) => ({ path: '/sdcard/Download/list.txt', size: body.length }),
  'POST /apps/com.phonerack.trouble/permissions': () => ({
    package: 'com.phonerack.trouble',
    permissions: [],
  }),
  'GET /logs': () => ({ data: [{ message: 'one' }], next_cursor: null }),
  'GET /crashes': () => ({ data: [{ kind: 'crash' }], next_cursor: null }),
  'GET /notifications': () => ({ data: [] }),
  'POST /webhooks': () => ({ object: 'webhook', id: 'whk', secret: 'whsec_a' }),
  'DELETE /webhooks/whk': () => ({ id: 'whk', deleted: true }),
  'GET /steps': () => ({ data: [{ id: 'stp', status: 'succeeded' }], next_cursor: null }),
  'GET /steps/export': () => Buffer.from('file'),
  'POST /live': () => ({ url: `${baseUrl}/l`, expires_at: soon }),
})

let server: Server
let baseUrl: string
let seen: string[]
let folder: string
beforeEach(async () => {
  seen = []
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const place = (request.url ?? '').replace('/v1', '').replace(`/phones/${id}`, '').replace(/\?.*/, '')
      const line = `${request.method ?? ''} ${place}`
      seen.push(line)
      const body = answers(baseUrl)[line]?.(String(Buffer.concat(chunks)))
      response.writeHead(body === undefined ? 404 : 200)
      response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body ?? {}))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  folder = await mkdtemp(path.join(tmpdir(), 'phonerack-readme-'))
  await mkdir(path.join(folder, 'node_modules/@phonerack'), { recursive: true })
  await symlink(root, path.join(folder, 'node_modules/@phonerack/sdk'))
  await writeFile(path.join(folder, 'app.apk'), 'PK')
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await rm(folder, { recursive: true, force: true })
})

/** Returns the lines that it prints. */
async function printed(code: string): Promise<string[]> {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  const file = path.join(folder, 'example.mjs')
  await writeFile(file, ts.transpileModule(code, { compilerOptions }).outputText)
  const env = { PATH: process.env['PATH'], PHONERACK_API_KEY: 'prk_test', PHONERACK_BASE_URL: baseUrl }
  const { stdout, stderr } = await run(process.execPath, [file], { cwd: folder, env, timeout: 60_000 })
  expect(stderr).toBe('')
  return stdout.trim().split('\n')
}

it('runs the examples on one phone, which parks at the end', async () => {
  // The second to the sixth continue the first.
  expect(await printed(examples.slice(0, 6).join('\n'))).toEqual([
    ...['[1] EditText "hello from an agent"', '[ 5, 5 ]', `${baseUrl}/h`],
    ...['uploading 1', 'processing null', 'installing null', `${baseUrl}/l 3`],
    ...['true 1 0', 'whsec_a', 'stp succeeded', '4 4'],
  ])
  expect(seen.filter((line) => line === 'POST /phones')).toHaveLength(1)
  expect(seen.at(-1)).toBe('POST /park')
})

it('runs the example for tests, with the service of the environment', async () => {
  expect(examples).toHaveLength(7)
  expect(await printed(examples[6] ?? '')).toEqual([''])
  expect(seen).toEqual(['POST /phones', 'POST /park'])
})
