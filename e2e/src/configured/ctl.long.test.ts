/** The operator's command line, with a connected phone that is not enrolled. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { startPhone, type Phone } from '@phonerack/virtual-phone'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { z } from 'zod'
import { plainAdb, type PlainAdb } from '../system/plain-adb.js'
import { Api, errorOf } from '../system/api.js'
import { openBrowser } from '../system/browser.js'
import { maintainAll } from '../system/maintenance.js'
import { ctl, freePort, root } from '../system/system.js'
import { eventually, operatorOf, readyPhone } from '../system/tenant.js'

const run = promisify(execFile)
const device = z.object({
  serial: z.string(),
  state: z.string(),
  capabilities: z.array(z.object({ name: z.string(), implementation: z.string(), evidence: z.string() })),
  wipe_checks: z.array(z.object({ name: z.string(), passed: z.boolean(), evidence: z.string() })),
  events: z.array(z.object({ step: z.string(), outcome: z.string(), reason: z.string() })),
  condition: z.object({ battery_percent: z.int(), warnings: z.array(z.string()) }).nullable(),
})

const system = inject('system')

describe('ctl', () => {
  let scratch: string
  let adb: PlainAdb
  let phone: Phone
  /** The phone's adb serial. */
  let serial: string
  const stops: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    scratch = await mkdtemp(path.join(tmpdir(), 'phonerack-ctl-'))
    stops.push(() => rm(scratch, { recursive: true, force: true }))
    // The tests rent the connected phone.
    stops.push(await maintainAll(system))
    phone = await startPhone({
      port: await freePort(),
      dataDir: path.join(scratch, 'phone'),
      pace: 'instant',
    })
    stops.push(() => phone.close())
    serial = `127.0.0.1:${phone.port}`
    adb = await plainAdb(serial)
    stops.push(() => adb.stop())
  })
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  /** Runs a command, which is split like a shell command. Rejects with the command's output. */
  const typed = async (...args: string[]): Promise<string> => {
    const line = ['--data', system.dir, ...args]
    return (await run(path.join(root, 'scripts/ctl'), line, { cwd: root, timeout: 150_000 })).stdout
  }
  const show = async () => device.parse(await ctl(system, 'device', 'show', serial))
  /** The state is read without the command, which a wait would start many times. */
  const until = (what: string, is: (found: z.infer<typeof device>) => boolean) =>
    eventually(what, 150_000, async () => {
      const { body } = await operatorOf(system).get('/operator/v1/devices')
      const { data } = z.object({ data: z.array(device) }).parse(body)
      return data.some((each) => each.serial === serial && is(each))
    })
  const stateBecomes = (state: string) => until(`the device to be ${state}`, (found) => found.state === state)
  /** Reads everything that a write to the phone would change. */
  const traces = async (): Promise<string> => {
    const look =
      'ls -laR /data/local/tmp /sdcard/; settings list global; settings list secure; getprop | grep -v uptime'
    return (await adb.run('shell', look)).toString()
  }

  test('the agent prints the elements of a dump', async () => {
    const file = path.join(scratch, 'dump.xml')
    await writeFile(file, await adb.run('exec-out', 'uiautomator dump /dev/tty'))
    const line = ['elements', file, '--screen', '1080x2400']
    const { stdout } = await run(path.join(root, 'scripts/agent'), line, { cwd: root, timeout: 150_000 })
    expect(stdout).toMatch(/^app \S+\nkeyboard hidden\nscreen 1080x2400\n\[1\] /)
  })

  test(
    'a connected phone is listed, is not written to, and is enrolled only with --erase',
    { timeout: 300_000 },
    async () => {
      await adb.run('shell', 'echo mine > /sdcard/mine.txt')
      const before = await traces()
      // The agent's own adb server lists the phone, as it lists a phone on a cable.
      const socket = path.join(system.dir, 'host-agent/adb/server.sock')
      await run('adb', ['-L', `localfilesystem:${socket}`, 'connect', serial], { timeout: 150_000 })
      await stateBecomes('unenrolled')
      const list = await typed('device', 'list')
      expect(list).toMatch(/\.\/scripts\/ctl device enroll dev_\w+ --erase/)
      expect(list).toContain(serial)
      await new Promise((resolve) => setTimeout(resolve, 3000))
      expect(await traces()).toBe(before)

      const api = new Api(system.up.base_url, system.up.keys.agent)
      expect(errorOf(await api.post('/v1/phones')).code).toBe('capacity_unavailable')
      await expect(typed('device', 'enroll', serial)).rejects.toMatchObject({
        stderr: expect.stringMatching(/ALL DATA.*Virtual Phone.*--erase/s) as string,
      })
      expect((await show()).state).toBe('unenrolled')
      expect(await traces()).toBe(before)

      expect(await typed('device', 'enroll', serial, '--erase')).toContain(serial)
      await stateBecomes('free')
      const enrolled = await show()
      expect(enrolled.capabilities.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['input', 'text', 'ui', 'screen']),
      )
      expect(enrolled.wipe_checks.length).toBeGreaterThan(5)
      expect(enrolled.wipe_checks.filter(({ passed }) => !passed)).toEqual([])
      const mine = adb.run('shell', 'cat /sdcard/mine.txt')
      await expect(mine).rejects.toMatchObject({ code: 1 })
      const rented = await readyPhone(api)
      expect(rented.status).toBe('ready')
      expect((await show()).state).toBe('assigned')

      await until('the condition to be known', ({ condition }) => condition !== null)
      expect((await show()).condition).toMatchObject({ battery_percent: 100, warnings: [] })
      phone.faults.hangEvery(1, 'shell')
      await until('the host to step in', ({ events }) => events.length > 0)
      await phone.faults.heal()
      expect((await show()).events[0]).toMatchObject({ step: 'reconnect', outcome: 'done' })
      const shown = await typed('device', 'show', serial)
      expect(shown).toMatch(/Battery +100 %/)
      expect(shown).toMatch(/CAPABILITY +BY +EVIDENCE\n.*\btext +scrcpy/s)
      expect(shown).toMatch(/reconnect +done +three calls in a row timed out/)
      await new Api(system.up.base_url, system.up.keys.admin).delete(`/v1/phones/${rented.id}`)
    },
  )

  test('projects, keys and the service', async () => {
    const { id } = system.up.project
    const project = z.object({
      balance_usd: z.string(),
      max_running: z.int(),
      frozen_at: z.string().nullable(),
    })
    const set = async (...args: string[]) => project.parse(await ctl(system, 'project', 'set', id, ...args))
    const before = project.parse(await ctl(system, 'project', 'show', id))
    const after = await set('--credit', '12.5', '--max-running', '7')
    expect(Number(after.balance_usd) - Number(before.balance_usd)).toBeCloseTo(12.5, 6)
    expect(after.max_running).toBe(7)

    const made = z
      .object({ id: z.string(), key: z.string() })
      .parse(await ctl(system, 'key', 'create', '--project', id, '--preset', 'read-only', '--expires', '30d'))
    const api = new Api(system.up.base_url, made.key)
    expect((await api.get('/v1/account')).status).toBe(200)
    expect(errorOf(await api.post('/v1/phones')).code).toBe('insufficient_scope')
    await ctl(system, 'key', 'revoke', made.id)
    await eventually(
      'the revocation to count',
      1500,
      async () => (await api.get('/v1/account')).status === 401,
    )
    expect(errorOf(await api.get('/v1/account')).code).toBe('key_revoked')

    expect((await set('--freeze')).frozen_at).not.toBeNull()
    expect((await set('--unfreeze')).frozen_at).toBeNull()
    expect(await ctl(system, 'service', 'pause')).toMatchObject({ paused_at: expect.any(String) as string })
    expect(await ctl(system, 'service', 'resume')).toMatchObject({ paused_at: null })
    expect(await typed('host', 'list')).toMatch(/online/)
    await expect(typed('project', 'set', id)).rejects.toMatchObject({ code: 2 })
    await expect(typed('no', 'such')).rejects.toMatchObject({ code: 2 })
  })

  test('a project with its first credit, operators and their audit entries', async () => {
    const created = z.object({ id: z.string(), name: z.string(), balance_usd: z.string() })
    const create = ['project', 'create', '--name', 'Orchard', '--owner', 'Ann', '--credit', '12.5']
    const again = ['--idempotency-key', 'orchard-of-ann', ...create]
    const project = created.parse(await ctl(system, ...again))
    expect(project).toMatchObject({ name: 'Orchard', balance_usd: '12.500000' })
    expect(await ctl(system, ...again)).toEqual(await ctl(system, 'project', 'show', project.id))

    const made = z
      .object({ id: z.string(), name: z.string(), token: z.string(), expires_at: z.string() })
      .parse(await ctl(system, 'operator', 'token', 'create', '--name', 'night shift'))
    const env = {
      ...process.env,
      PHONERACK_OPERATOR_URL: system.up.operator_url,
      PHONERACK_OPERATOR_TOKEN: made.token,
    }
    const asThem = (...args: string[]) => run(path.join(root, 'scripts/ctl'), args, { cwd: root, env })
    expect((await asThem('project', 'show', project.id)).stdout).toContain('Orchard')
    await asThem('project', 'set', project.id, '--credit', '1')
    const audit = z
      .object({ data: z.array(z.object({ action: z.string(), token_name: z.string(), target: z.string() })) })
      .parse(await ctl(system, 'audit', 'list', '--limit', '3'))
    expect(audit.data.map((entry) => [entry.action, entry.token_name, entry.target])).toEqual([
      ['project.change', 'night shift', project.id],
      ['operator_token.create', 'configured', made.id],
      ['project.create', 'configured', project.id],
    ])
    expect(await typed('audit', 'list')).toContain('balance_usd: "12.500000" → "13.500000"')
    expect(await typed('operator', 'token', 'list')).toMatch(/night shift/)
    await ctl(system, 'operator', 'token', 'revoke', made.id)
    await expect(asThem('project', 'list')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/was revoked/) as string,
    })
  })

  test('a terminal gets its key through a link of an operator', async () => {
    const post = async (body: object, at = '') =>
      (
        await fetch(`${system.up.base_url}/v1/setup${at}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json() as Promise<Record<string, string>>
    const asked = await post({ client: 'a terminal' })
    const code = asked['user_code'] ?? ''
    const project = z
      .object({ id: z.string() })
      .parse(await ctl(system, 'project', 'create', '--name', 'Their project'))
    await expect(ctl(system, 'setup', 'approve', code)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--project') as string,
    })
    const link = z
      .object({ url: z.string(), client: z.string(), project: z.string() })
      .parse(await ctl(system, 'setup', 'approve', code, '--project', project.id))
    expect([link.client, link.project]).toEqual(['a terminal', project.id])
    const browser = await openBrowser()
    try {
      const page = await browser.newPage()
      await page.goto(asked['verification_url'] ?? '')
      expect(await page.locator('input').count()).toBe(0)
      await page.goto(link.url)
      expect(await page.locator('dd').allTextContents()).toContain('Their project')
      expect(await page.locator('select, input:not([type=hidden])').count()).toBe(0)
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByRole('heading', { name: 'Connected' }).waitFor()
      await page.goto(link.url)
      await page.getByRole('heading', { name: 'This link is not valid' }).waitFor()
    } finally {
      await browser.close()
    }
    const collected = await post({ setup_token: asked['setup_token'] ?? '' }, '/token')
    expect([collected['status'], collected['project']]).toEqual(['approved', 'Their project'])
    const api = new Api(system.up.base_url, collected['api_key'] ?? '')
    expect((await api.get('/v1/account')).status).toBe(200)
    const denied = await post({})
    await ctl(system, 'setup', 'deny', denied['user_code'] ?? '')
    expect(await post({ setup_token: denied['setup_token'] ?? '' }, '/token')).toMatchObject({
      error: { code: 'setup_denied' },
    })
  })
})
