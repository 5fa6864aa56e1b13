/** The program `phonerack` on a virtual phone: its commands from rent to deletion, and its tools over stdio. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeApk, newSigner } from '@phonerack/virtual-phone/apk-builder'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { stdioTask } from './cli-mcp.js'
import { root } from './system/system.js'
import { newKey, newTenant, saysNoneFree, untilFree } from './system/tenant.js'

const program = path.join(root, 'clients/cli/dist/cli.js')
const phoneSchema = z.looseObject({ id: z.string(), name: z.string(), status: z.string() })

let dir: string
let env: Record<string, string>
beforeAll(async () => {
  const system = inject('system')
  const { projectId } = await newTenant(system)
  dir = await mkdtemp(path.join(tmpdir(), 'phonerack-cli-e2e-'))
  env = {
    PATH: process.env['PATH'] ?? '',
    XDG_CONFIG_HOME: dir,
    PHONERACK_BASE_URL: system.up.base_url,
    PHONERACK_API_KEY: await newKey(system, projectId, 'admin'),
  }
})
afterAll(() => rm(dir, { recursive: true, force: true }))

interface Ended {
  exitCode: number | null
  out: Buffer
  err: string
}

const attempt = (...words: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { env, encoding: 'buffer', timeout: 300_000, maxBuffer: 64 << 20 } as const
    const child = execFile(process.execPath, [program, ...words], options, (_error, out, err) =>
      resolve({ exitCode: child.exitCode, out, err: err.toString('utf8') }),
    )
  })

/** The output of a command that must succeed. */
async function phonerack(...words: string[]): Promise<string> {
  const { exitCode, out, err } = await attempt(...words)
  if (exitCode !== 0) throw new Error(`phonerack ${words.join(' ')} ended with ${exitCode}: ${err}`)
  return out.toString('utf8')
}

/** Retries `create` while other tests hold all phones. */
async function created(...words: string[]): Promise<Ended> {
  const last = await untilFree(
    () => attempt('phone', 'create', ...words),
    ({ exitCode, err }) => exitCode !== 0 && saysNoneFree(err),
  )
  if (last.exitCode !== 0) throw new Error(`phone create: ${last.err}`)
  return last
}

describe('the command line', () => {
  let phone: string
  beforeAll(async () => {
    const { out } = await created('--name', 'shop', '--json')
    const fields = phoneSchema.parse(JSON.parse(out.toString('utf8')))
    expect(fields).toMatchObject({ name: 'shop', status: 'ready' })
    phone = fields.id
  })
  afterAll(async () => {
    await attempt('phone', 'delete', phone, '--yes')
  })

  it('writes a note by name, text and description, and takes a picture', async () => {
    await phonerack('phone', 'open', 'shop', 'com.phonerack.notes')
    await phonerack('phone', 'wait', 'shop', '--desc', 'New note', '--timeout', '60s')
    await phonerack('phone', 'tap', 'shop', '--desc', 'New note')
    expect(await phonerack('phone', 'tap', 'shop', '--text', 'Title', '--timeout', '60s')).toMatch(
      /^tap ok at \d+,\d+/m,
    )
    await phonerack('phone', 'type', 'shop', 'Grüße aus dem Terminal 👋')
    const screen = await phonerack('phone', 'observe', 'shop')
    expect(screen).toMatch(/^app com\.phonerack\.notes$/m)
    expect(screen).toContain('Grüße aus dem Terminal 👋')

    const file = path.join(dir, 'shot.png')
    await phonerack('phone', 'shot', 'shop', '-o', file)
    expect((await readFile(file)).subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001a\n')
    const { out } = await attempt('phone', 'shot', 'shop', '-o', '-')
    expect(out.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001a\n')
  })

  const misspelt = 'Grüße aus dem Treminal 👋'
  it('exits with 9 after a failed tap, and prints the candidates on stderr', async () => {
    const failed = await attempt('phone', 'tap', 'shop', '--text', misspelt)
    expect(failed.exitCode).toBe(9)
    expect(failed.out.toString('utf8')).toBe('')
    expect(failed.err).toContain('code:  target_not_found')
    expect(failed.err).toContain('candidates:')

    const json = await attempt('phone', 'tap', 'shop', '--text', misspelt, '--json')
    expect(json.exitCode).toBe(9)
    expect(JSON.parse(json.out.toString('utf8'))).toMatchObject({
      completed: 0,
      results: [{ ok: false, error: { code: 'target_not_found' } }],
    })
    expect(JSON.parse(json.err)).toMatchObject({ error: { code: 'target_not_found' } })
  })

  it('prints objects of the API with --json, and sends any other request', async () => {
    const observed: unknown = JSON.parse(await phonerack('phone', 'observe', phone, '--json'))
    expect(observed).toMatchObject({ app: { package: expect.any(String) as string } })
    const listed: unknown = JSON.parse(await phonerack('phone', 'list', '--json'))
    expect(listed).toMatchObject({ data: [{ id: phone }], next_cursor: null })
    const account: unknown = JSON.parse(await phonerack('api', 'GET', '/v1/account', '--json'))
    expect(account).toMatchObject({ running: 1 })
    expect((await attempt('api', 'GET', '/v1/phones/ph_aaaaaaaaaaaa')).exitCode).toBe(5)
  })

  it('uploads an app, and installs it', async () => {
    const name = 'com.example.cli'
    const file = path.join(dir, 'app.apk')
    const settings = { package: name, versionCode: 4, versionName: '4.1', label: 'From a terminal' }
    await writeFile(file, makeApk(settings, await newSigner('the command line')))
    const upload = (await phonerack('app', 'upload', file, '--quiet')).trim()
    expect(upload).toMatch(/^upl_/)
    expect(await phonerack('app', 'list', '--quiet')).toContain(upload)
    expect((await phonerack('phone', 'install', 'shop', upload, '--quiet')).trim()).toBe(name)
    expect((await phonerack('phone', 'apps', 'shop', '--quiet')).split('\n')).toContain(name)
    await phonerack('phone', 'uninstall', 'shop', name)
    expect((await phonerack('phone', 'apps', 'shop', '--quiet')).split('\n')).not.toContain(name)
  })

  it('copies a file to the phone and back', async () => {
    const [from, to] = [path.join(dir, 'list.txt'), path.join(dir, 'back.txt')]
    await writeFile(from, 'milk\n')
    await phonerack('phone', 'push', 'shop', from)
    expect(await phonerack('phone', 'ls', 'shop', '/sdcard/Download')).toContain('list.txt')
    await phonerack('phone', 'pull', 'shop', '/sdcard/Download/list.txt', '-o', to)
    expect(await readFile(to, 'utf8')).toBe('milk\n')
  })

  it('parks and deletes the phone, with a confirmation', async () => {
    const parked = phoneSchema.parse(JSON.parse(await phonerack('phone', 'park', 'shop', '--json')))
    expect(parked.status).toBe('parked')
    expect((await attempt('phone', 'tap', 'shop', '--text', 'Title')).exitCode).toBe(6)
    expect((await attempt('phone', 'delete', 'shop')).exitCode).toBe(2)
    await phonerack('phone', 'delete', 'shop', '--yes')
    expect((await attempt('phone', 'get', 'shop')).exitCode).toBe(5)
  })
})

stdioTask('2026-07-28')
