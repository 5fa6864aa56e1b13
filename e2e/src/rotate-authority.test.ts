/**
 * The certificate authority is replaced while a real agent serves calls without a break: both sides present certificates of
 * the next authority afterwards, and the agent trusts no other one.
 */
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { databaseUrl } from './system/database.js'
import { root, startSystem, stopSystem, type System } from './system/system.js'
import { eventually, newTenant, readyPhone } from './system/tenant.js'

const run = promisify(execFile)
const limitMs = 100_000
let system: System
beforeAll(async () => {
  system = await startSystem({ virtualPhones: 1 })
})
afterAll(() => stopSystem(system))

/** Runs a step; null: it was refused. */
async function step(name: string): Promise<string | null> {
  const env = {
    ...process.env,
    ...{ DATABASE_URL: await databaseUrl(system), PHONERACK_PKI_DIR: path.join(system.dir, 'pki') },
  }
  try {
    const { stdout } = await run(path.join(root, 'scripts/control-plane'), ['rotate-authority', name], {
      env,
    })
    return stdout
  } catch (error) {
    const { code, stderr } = z.object({ code: z.number(), stderr: z.string() }).parse(error)
    if (code !== 1) throw new Error(stderr, { cause: error })
    return null
  }
}
const succeeds = (name: string) => eventually(name, limitMs, async () => (await step(name)) !== null)

async function identity() {
  const text = await readFile(path.join(system.dir, 'host-agent/identity.json'), 'utf8')
  return z.object({ certificatePem: z.string(), caPem: z.string() }).parse(JSON.parse(text))
}

it('replaces the authority while calls of a real agent continue', async () => {
  const tenant = await newTenant(system)
  const phone = await readyPhone(tenant.agent)
  const failures: unknown[] = []
  let [calls, stopped] = [0, false]
  const calling = (async () => {
    while (!stopped) {
      const answer = await tenant.agent.get(`/v1/phones/${phone.id}/observe`)
      calls += 1
      if (answer.status !== 200) failures.push(answer.body)
      // A key may send 600 requests in a minute.
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  })()
  const before = await identity()

  expect(await step('begin')).toContain('A rotation began')
  // At the next contact of the agent, both are on its disk.
  await succeeds('switch')
  const both = await identity()
  expect(both.caPem).toContain(before.caPem.trim())
  expect(both.caPem.length).toBeGreaterThan(before.caPem.length)
  await succeeds('finish')
  await eventually('the agent to trust one authority', limitMs, async () => {
    const { caPem } = await identity()
    return caPem.split('BEGIN CERTIFICATE').length === 2
  })
  const after = await identity()
  const certificate = new X509Certificate(after.certificatePem)
  expect(certificate.verify(new X509Certificate(after.caPem).publicKey)).toBe(true)
  expect(certificate.verify(new X509Certificate(before.caPem).publicKey)).toBe(false)
  expect(await step('status')).toContain('No rotation is open')
  stopped = true
  await calling
  expect(failures).toEqual([])
  expect(calls).toBeGreaterThan(5)
})
