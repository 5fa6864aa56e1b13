/** The commands of `docs/operations.md` that end a quarantine, run literally with the real host agent. */
import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { z } from 'zod'
import { maintainAll } from '../system/maintenance.js'
import { ctl, root, startSystem, type System } from '../system/system.js'
import { eventually, getPhone, newTenant, operatorOf, readyPhone } from '../system/tenant.js'

const run = promisify(execFile)
let system: System = inject('system')
/** The device of these tests. */
let serial: string
let endMaintenance = () => Promise.resolve()
beforeAll(async () => {
  const data = await devices()
  serial = data[0]?.serial ?? ''
  // A tenant gets this device.
  endMaintenance = await maintainAll(system, serial)
})
afterAll(() => endMaintenance())

const shown = z.object({
  id: z.string(),
  serial: z.string(),
  state: z.string(),
  link: z.string(),
  reason: z.string().nullable(),
  phone_id: z.string().nullable(),
  next_step: z.object({ commands: z.array(z.object({ words: z.array(z.string()) })) }).nullable(),
})
async function devices() {
  const listed = await operatorOf(system).get('/operator/v1/devices')
  return z.object({ data: z.array(shown) }).parse(listed.body).data
}
async function device() {
  const found = (await devices()).find((each) => each.serial === serial)
  if (!found) throw new Error('there is no device')
  return found
}
const until = (what: string, is: (found: z.infer<typeof shown>) => boolean) =>
  eventually(what, 120_000, async () => is(await device()))
const isFree = () => until('a free device', ({ state }) => state === 'free')

const down = () =>
  run(path.join(root, 'scripts/down'), ['--data', system.dir], { cwd: root, timeout: 150_000 })
async function up(): Promise<void> {
  system = await startSystem({ ...inject('breakableOptions'), dir: system.dir })
}

/** Finds the device's record with the command of docs/operations.md. */
async function recordOf(): Promise<string> {
  const search = `grep -l '"serial":"${serial}"' ${system.dir}/host-agent/devices/*.json`
  const { stdout } = await run('sh', ['-c', search])
  expect(stdout.trim().split('\n')).toHaveLength(1)
  return stdout.trim()
}

async function parkedPhone() {
  const tenant = await newTenant(system)
  const phone = await readyPhone(tenant.agent)
  await tenant.agent.post(`/v1/phones/${phone.id}/park`)
  await eventually('a parked phone', 150_000, async () => {
    return (await getPhone(tenant.agent, phone.id)).status === 'parked'
  })
  return { tenant, id: phone.id }
}

test('a device whose number is not believed is reset and enrolled', async () => {
  await isFree()
  const { tenant, id } = await parkedPhone()
  await down()
  const file = await recordOf()
  const record = z.looseObject({ fencingNumber: z.string() }).parse(JSON.parse(await readFile(file, 'utf8')))
  const fencingNumber = (BigInt(record.fencingNumber) + 2_000_000n).toString()
  await writeFile(file, JSON.stringify({ ...record, fencingNumber, revision: Date.now() }))
  await up()
  await until('a quarantined device', ({ state }) => state === 'quarantined')
  expect((await device()).reason).toContain('so the report is rejected')

  // 1. The device holds a phone.
  await ctl(system, 'device', 'release', serial)
  expect((await getPhone(tenant.agent, id)).status).toBe('failed')
  // 2. The host agent is stopped, and the record deleted.
  await down()
  await rm(await recordOf())
  await up()
  // 3. The device is enrolled again.
  await until('the link unenrolled', ({ link }) => link === 'unenrolled')
  await ctl(system, 'device', 'enroll', serial, '--erase')
  await isFree()
  const next = await readyPhone(tenant.agent)
  await tenant.admin.delete(`/v1/phones/${next.id}`)
  await isFree()
})

test('a device whose record is lost cannot be kept for its phone, and is released and enrolled', async () => {
  const { tenant, id } = await parkedPhone()
  const { id: deviceId } = await device()
  await down()
  await rm(await recordOf())
  await up()
  await until('a quarantined device', ({ state }) => state === 'quarantined')
  expect(await device()).toMatchObject({ phone_id: id })
  expect((await device()).reason).toContain('no record that this phone used the device')
  const kept = await operatorOf(system).post(`/operator/v1/devices/${serial}/release`, { keep: true })
  expect(kept.status).toBe(400)
  expect(JSON.stringify(kept.body)).toContain('without `keep`')

  await ctl(system, 'device', 'release', serial)
  expect((await getPhone(tenant.agent, id)).status).toBe('failed')
  await until('a device that its agent does not wipe', ({ state }) => state === 'quarantined')
  const enroll = ['device', 'enroll', deviceId, '--erase']
  expect((await device()).next_step?.commands).toEqual([{ words: enroll }])
  await ctl(system, ...enroll)
  await isFree()
  const next = await readyPhone(tenant.agent)
  await tenant.admin.delete(`/v1/phones/${next.id}`)
  await isFree()
})
