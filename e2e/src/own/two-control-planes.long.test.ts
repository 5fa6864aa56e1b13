/**
 * A second `up --control-only` on the database of a first one: refused, or another replica of the same installation. A
 * person's live view comes back through the one that is left. The tests build on each other.
 */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { Api } from '../system/api.js'
import { openBrowser } from '../system/browser.js'
import { databaseUrl } from '../system/database.js'
import { openFailover, type Failover } from '../system/failover.js'
import { closesOf, coloursOf, desktop, digestOf, keepCloses, newPage } from '../system/live-pages.js'
import { pidOf } from '../system/processes.js'
import { copySecret, isReady, startReplica } from '../system/replica.js'
import { ctl, freePort, startSystem, stopSystem, type System } from '../system/system.js'
import { eventually, newTenant, readyPhone } from '../system/tenant.js'

/** Milliseconds; generous for a loaded machine. */
const patience = 60_000
let first: System
let other: System | undefined
/** The address of both. */
let balancer: Failover
/** Its replicas, the preferred one first. */
let order: System[] = []
beforeAll(async () => {
  balancer = await openFailover(await freePort(), () => order.map(({ up }) => up.base_url))
  first = await startSystem({ virtualPhones: 1, env: { PHONERACK_BASE_URL: balancer.url } })
})
afterAll(async () => {
  if (other) await stopSystem(other)
  await stopSystem(first)
  await balancer.close()
})

const second = (dir: string): Promise<System> => startReplica(first, dir, balancer.url)

async function query<T>(text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: await databaseUrl(first) })
  await client.connect()
  try {
    return (await client.query(text)).rows as T[]
  } finally {
    await client.end()
  }
}

it('refuses the database of another installation and leaves the first one as it was, until it gets its secrets', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-second-'))
  await expect(second(dir)).rejects.toThrow(
    /belongs to another installation.*Copy `service\.key` of a running replica to .*pki\/service\.key/,
  )
  await copySecret(first, 'pki/service.key', dir)
  await expect(second(dir)).rejects.toThrow(/another operator token.*secrets\.json/)
  await ctl(first, 'project', 'list')

  await copySecret(first, 'secrets.json', dir)
  other = await second(dir)
  for (const system of [first, other]) await ctl(system, 'project', 'list')
  // On the address of `--host`, and on no other.
  const { hostname, port } = new URL(other.up.base_url)
  expect(hostname).toBe('127.0.0.2')
  expect((await fetch(`${other.up.base_url}/livez`)).status).toBe(200)
  await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow('fetch failed')
  expect(other.up.operator_token).toBe(first.up.operator_token)
  expect(other.up.project).toEqual(first.up.project)
  expect(await query('select 1 from projects')).toHaveLength(1)
  const replicas = await query<{ id: string }>('select id from replicas')
  expect(new Set(replicas.map(({ id }) => id)).size).toBe(2)
  for (const { id } of replicas) expect(id).toMatch(/^up-.*-[0-9a-f]{12}$/)
})

/** A script of a page that keeps when it lost its connection and when it had a picture again. */
const keepStates = `window.states = []
new MutationObserver(() => {
  const { state } = document.body.dataset
  if (states.at(-1)?.state !== state) states.push({ state, at: performance.now() })
}).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-state'] })
`
const statesOf = (page: Page) => page.evaluate<{ state: string; at: number }[]>('states')

it('shows a phone again through the other replica after the one of a live view has stopped or was killed', async () => {
  if (!other) throw new Error('there is no second replica')
  order = [first, other]
  const browser = await openBrowser()
  const complaints: string[] = []
  try {
    const { agent, admin } = await newTenant(first)
    const phone = await readyPhone(admin)
    const api = new Api(balancer.url, agent.key)
    const link = await api.post(`/v1/phones/${phone.id}/live`, {})
    const { url } = z.object({ url: z.url() }).parse(link.body)
    expect(new URL(url).origin).toBe(balancer.url)
    const page = await newPage(browser, desktop, complaints)
    await page.addInitScript({ content: keepCloses + keepStates })
    await page.goto(url)
    await page.waitForSelector('body[data-state="live"]', { timeout: patience })

    for (const [signal, code, app] of [
      ['SIGTERM', 4102, 'com.phonerack.notes'],
      ['SIGKILL', 1006, 'com.phonerack.shop'],
    ] as const) {
      const [lost, left] = order
      if (!lost || !left) throw new Error('two replicas are needed')
      const [closes, states] = [(await closesOf(page)).length, (await statesOf(page)).length]
      const pid = await pidOf(lost, 'control-plane')
      if (pid === null) throw new Error('the control plane does not run')
      process.kill(pid, signal)
      await eventually('a live view again', 100_000, async () =>
        (await statesOf(page)).slice(states).some(({ state }) => state === 'live'),
      )
      expect((await closesOf(page)).slice(closes)).toEqual([code])
      const since = (await statesOf(page)).slice(states)
      expect(since.map(({ state }) => state)).toEqual(['connecting', 'live'])
      const ms = Math.round((since[1]?.at ?? NaN) - (since[0]?.at ?? NaN))
      process.stdout.write(`live view after ${signal} of its replica: a picture after ${ms} ms\n`)
      // The picture follows the phone.
      expect(await coloursOf(page)).toBeGreaterThan(10)
      const before = await digestOf(page)
      const opened = await new Api(left.up.base_url, agent.key).post(`/v1/phones/${phone.id}/actions`, {
        actions: [{ type: 'open_app', package: app }],
      })
      expect(opened.status).toBe(200)
      await eventually('the page shows it', patience, async () => (await digestOf(page)) !== before)
      // Its supervisor has started it again: the next one to stop is the other.
      await eventually('the replica is back', patience, () => isReady(lost))
      order = [left, lost]
    }
    expect(complaints.filter((text) => !/WebSocket connection/.test(text))).toEqual([])
    await admin.delete(`/v1/phones/${phone.id}`)
  } finally {
    await browser.close()
  }
})

it('leaves the first one as it was when the other stops', async () => {
  if (other) await stopSystem(other)
  other = undefined
  await ctl(first, 'project', 'list')
})
