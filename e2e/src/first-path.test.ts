/** The first steps of a new user: the README's own lines, and the same steps with the figures checked. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { actionBatchResultSchema, observationSchema } from '@phonerack/shared'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { errorOf } from './system/api.js'
import { rentWhere, serialOf } from './system/chosen.js'
import { root } from './system/system.js'
import {
  saysNoneFree,
  untilFree,
  moneyOf,
  newTenant,
  observe,
  readyPhone,
  sessionsOf,
  startAgain,
} from './system/tenant.js'

const run = promisify(execFile)
const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')

describe('the first path', () => {
  let scratch: string | undefined
  afterAll(async () => {
    if (scratch) await rm(scratch, { recursive: true, force: true })
  })

  test('the lines of the README rent a phone, read it, type on it and park it', async () => {
    const system = inject('system')
    const readme = await readFile(path.join(root, 'README.md'), 'utf8')
    const lines = /## Rent a phone\n+```sh\n([^]*?)```/.exec(readme)?.[1]
    if (!lines) throw new Error('the README has no lines to rent a phone')
    const script = lines
      .replace('http://127.0.0.1:7700', system.up.base_url)
      .replace('.phonerack/up.json', path.join(system.dir, 'up.json'))
    scratch = await mkdtemp(path.join(tmpdir(), 'phonerack-readme-'))
    const cwd = scratch
    const { stdout } = await untilFree(
      () => run('bash', ['-euo', 'pipefail', '-c', script], { cwd, timeout: 150_000 }),
      (ended) => saysNoneFree(ended.stdout),
    )

    expect(stdout).toContain('app com.android.launcher3')
    expect(stdout).toMatch(/\[\d+\] \S+ "Settings"/)
    expect(stdout).toContain('"completed":3')
    expect(stdout).toContain('Grüße, 世界 👋')
    expect(stdout).toContain('"status":"parked"')
    expect(stdout).toMatch(/"billed_seconds":60,"cost_usd":"0\.060000"/)
    const picture = await readFile(path.join(scratch, 'screen.png'))
    expect(picture.subarray(0, 8)).toEqual(pngSignature)
    expect(picture.readUInt32BE(16)).toBeGreaterThanOrEqual(1080)

    const { id } = JSON.parse(await readFile(path.join(scratch, 'phone.json'), 'utf8')) as { id: string }
    const deleted = await fetch(`${system.up.base_url}/v1/phones/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${system.up.keys.admin}` },
    })
    expect(deleted.status).toBe(200)
  })

  test('reserve, charge and release are right to the micro-dollar [1.16]', async () => {
    const { agent, admin } = await newTenant(inject('system'), { creditUsd: '1.234567' })
    expect(await moneyOf(agent)).toEqual({ balance: 1_234_567n, reserved: 0n, spent: 0n })
    const phone = await readyPhone(agent, { max_duration: 300 })
    expect(await moneyOf(agent)).toEqual({ balance: 1_234_567n, reserved: 300_000n, spent: 0n })
    await agent.post(`/v1/phones/${phone.id}/park`)
    expect(await moneyOf(agent)).toEqual({ balance: 1_174_567n, reserved: 0n, spent: 60_000n })
    const [session] = await sessionsOf(agent, phone.id)
    expect(session).toMatchObject({ billed_seconds: 60, cost_usd: '0.060000', reserved_usd: '0.300000' })
    await admin.delete(`/v1/phones/${phone.id}`)
    expect((await moneyOf(agent)).balance).toBe(1_174_567n)
  })

  test('an agent reads, taps by ref, types Unicode and sees the effects [1.5]', async () => {
    const { agent, admin } = await newTenant(inject('system'))
    const phone = await readyPhone(agent)
    const actions = (list: unknown[], mode = 'ui') =>
      agent.post(`/v1/phones/${phone.id}/actions`, { actions: list, observe: mode })

    const home = await observe(agent, phone.id)
    const icon = home.elements.find((element) => element.text === 'Notes' || element.desc === 'Notes')
    if (!icon) throw new Error(`no Notes on ${home.text}`)
    const tapped = await actions([{ type: 'tap', target: { ref: icon.ref, snapshot_id: home.snapshot_id } }])
    const opened = actionBatchResultSchema.parse(tapped.body)
    expect(opened.results).toMatchObject([
      { index: 0, type: 'tap', ok: true, resolved: { center: icon.center } },
    ])
    expect(observationSchema.parse(opened.observation).app.package).toBe('com.phonerack.notes')

    const stale = actionBatchResultSchema.parse(
      (await actions([{ type: 'tap', target: { ref: icon.ref, snapshot_id: home.snapshot_id } }])).body,
    )
    expect(stale.results[0]?.error?.code).toBe('stale_snapshot')
    expect(stale.completed).toBe(0)

    const text = 'naïve 日本語 שלום 👩‍👩‍👧\nsecond line'
    const typed = actionBatchResultSchema.parse(
      (
        await actions([
          { type: 'tap', target: { desc: 'New note' } },
          { type: 'type', target: { text: 'Title' }, text: 'Plain' },
          { type: 'type', target: { text: 'Note' }, text },
        ])
      ).body,
    )
    expect(typed.results.map((result) => result.ok)).toEqual([true, true, true])
    const shown = observationSchema.parse(typed.observation).elements.map((element) => element.text)
    expect(shown).toContain('Plain')
    expect(shown).toContain(text)

    const missing = actionBatchResultSchema.parse(
      (
        await actions([
          { type: 'home' },
          { type: 'tap', target: { text: 'No such thing' } },
          { type: 'back' },
        ])
      ).body,
    )
    expect(missing.completed).toBe(1)
    expect(missing.results).toHaveLength(2)
    expect(missing.results[1]?.error).toMatchObject({
      code: 'target_not_found',
      details: { target: { text: 'No such thing' } },
    })

    const jpeg = await agent.get(`/v1/phones/${phone.id}/screenshot?format=jpeg&max_width=360&quality=50`)
    expect(jpeg.headers.get('content-type')).toBe('image/jpeg')
    expect(jpeg.headers.get('x-screen-scale')).toBe((360 / home.screen.width).toFixed(6))
    expect(jpeg.bytes.subarray(0, 3)).toEqual(Buffer.from('ffd8ff', 'hex'))

    const asText = await agent.get(`/v1/phones/${phone.id}/observe?format=text`)
    expect(asText.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(asText.headers.get('x-snapshot-id')).toMatch(/^snp_[a-z2-7]{12}$/)
    await admin.delete(`/v1/phones/${phone.id}`)
  })

  test('a tenant’s data stay on a phone across park and start, and are gone after a delete [4.4, 10.1]', async () => {
    const system = inject('system')
    const { agent, admin } = await newTenant(system)
    const phone = await readyPhone(agent)
    const serial = await serialOf(system, phone.id)
    const secret = `secret ${crypto.randomUUID()}`
    const note = [
      { type: 'open_app', package: 'com.phonerack.notes' },
      { type: 'tap', target: { desc: 'New note' } },
      { type: 'type', target: { text: 'Title' }, text: secret },
      { type: 'tap', target: { desc: 'Save' } },
    ]
    const saved = await agent.post(`/v1/phones/${phone.id}/actions`, { actions: note })
    expect(actionBatchResultSchema.parse(saved.body).completed).toBe(4)
    await agent.post(`/v1/phones/${phone.id}/park`)
    await startAgain(agent, phone.id)
    const open = { actions: [{ type: 'open_app', package: 'com.phonerack.notes' }] }
    const again = await agent.post(`/v1/phones/${phone.id}/actions`, open)
    expect(JSON.stringify(again.body)).toContain(secret)
    await admin.delete(`/v1/phones/${phone.id}`)
    expect(errorOf(await agent.get(`/v1/phones/${phone.id}/observe`)).code).toBe('phone_deleted')

    // The next tenant of the same device.
    const next = await newTenant(system)
    const other = await rentWhere(system, next.admin, (each) => each === serial)
    const answer = await next.admin.post(`/v1/phones/${other.id}/actions`, open)
    expect(actionBatchResultSchema.parse(answer.body).completed).toBe(1)
    expect(JSON.stringify(answer.body)).toContain('com.phonerack.notes')
    expect(JSON.stringify(answer.body)).not.toContain(secret)
    await next.admin.delete(`/v1/phones/${other.id}`)
  })
})
