/**
 * A second `up --control-only` on the database of a first `up`: it is refused, or becomes another replica of
 * the same installation. A person's live view reconnects through the remaining replica.
 */
import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Page } from 'playwright-core'
import { beforeAll, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { Api } from '../system/api.js'
import { openBrowser } from '../system/browser.js'
import { databaseUrl } from '../system/database.js'
import { closesOf, coloursOf, desktop, digestOf, keepCloses, newPage } from '../system/live-pages.js'
import { copySecret, isReady, startReplica, twoReplicas } from '../system/replica.js'
import { ctl, root, stopSystem } from '../system/system.js'
import { eventually, newTenant, readyPhone } from '../system/tenant.js'

/** Milliseconds; generous for a loaded machine. */
const patience = 60_000
const service = twoReplicas(inject('pair'))
const [first, other] = service.order
beforeAll(() => service.ready())

async function query<T>(text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: await databaseUrl(first) })
  await client.connect()
  try {
    return (await client.query(text)).rows as T[]
  } finally {
    await client.end()
  }
}

it('refuses the database of another installation and does not change the first installation, until it gets the secrets', async () => {
  const replicas = () => query<{ id: string }>('select id from replicas order by id')
  const before = await replicas()
  const projects = await query('select id from projects order by id')
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-second-'))
  const second = () => startReplica(first, dir, service.url)
  await expect(second()).rejects.toThrow(
    /belongs to another installation.*Copy `service\.key` of a running replica to .*pki\/service\.key/,
  )
  await copySecret(first, 'pki/service.key', dir)
  await expect(second()).rejects.toThrow(/another operator token.*secrets\.json/)
  await ctl(first, 'project', 'list')

  expect(await replicas()).toEqual(before)
  await stopSystem({ dir })

  // The other replica has the projects of both systems.
  for (const system of [first, other]) await ctl(system, 'project', 'list')
  // The replica listens on the address of `--host` only.
  const { hostname, port } = new URL(other.up.base_url)
  expect(hostname).toBe('127.0.0.2')
  expect((await fetch(`${other.up.base_url}/livez`)).status).toBe(200)
  await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow('fetch failed')
  expect(other.up.operator_token).toBe(first.up.operator_token)
  expect(other.up.project).toEqual(first.up.project)
  expect(await query('select id from projects order by id')).toEqual(projects)
  expect(new Set(before.map(({ id }) => id)).size).toBe(2)
  for (const { id } of before) expect(id).toMatch(/^up-.*-[0-9a-f]{12}$/)
})

/** A script of a page that records when it lost its connection and when it had a picture again. */
const keepStates = `window.states = []
new MutationObserver(() => {
  const { state } = document.body.dataset
  if (states.at(-1)?.state !== state) states.push({ state, at: performance.now() })
}).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-state'] })
`
const statesOf = (page: Page) => page.evaluate<{ state: string; at: number }[]>('states')

it('shows a phone again through the other replica after the replica of a live view has stopped or was killed', async () => {
  const browser = await openBrowser()
  const complaints: string[] = []
  try {
    const { agent, admin } = await newTenant(first)
    const phone = await readyPhone(admin)
    const api = new Api(service.url, agent.key)
    const link = await api.post(`/v1/phones/${phone.id}/live`, {})
    const { url } = z.object({ url: z.url() }).parse(link.body)
    expect(new URL(url).origin).toBe(service.url)
    const page = await newPage(browser, desktop, complaints)
    await page.addInitScript({ content: keepCloses + keepStates })
    await page.goto(url)
    await page.waitForSelector('body[data-state="live"]', { timeout: patience })

    for (const [signal, code, app] of [
      ['SIGTERM', 4102, 'com.phonerack.notes'],
      ['SIGKILL', 1006, 'com.phonerack.shop'],
    ] as const) {
      const [lost, left] = service.order
      const [closes, states] = [(await closesOf(page)).length, (await statesOf(page)).length]
      await service.kill('other', signal)
      await eventually('a live view again', 100_000, async () =>
        (await statesOf(page)).slice(states).some(({ state }) => state === 'live'),
      )
      expect((await closesOf(page)).slice(closes)).toEqual([code])
      const since = (await statesOf(page)).slice(states)
      expect(since.map(({ state }) => state)).toEqual(['reconnecting', 'connecting', 'live'])
      const ms = Math.round((since.at(-1)?.at ?? NaN) - (since[0]?.at ?? NaN))
      process.stdout.write(`live view after ${signal} of its replica: a picture after ${ms} ms\n`)
      // The picture changes with the phone.
      expect(await coloursOf(page)).toBeGreaterThan(10)
      const before = await digestOf(page)
      const opened = await new Api(left.up.base_url, agent.key).post(`/v1/phones/${phone.id}/actions`, {
        actions: [{ type: 'open_app', package: app }],
      })
      expect(opened.status).toBe(200)
      await eventually('the page shows it', patience, async () => (await digestOf(page)) !== before)
      // The supervisor has started the replica again, so the other replica is the next to stop.
      await eventually('the replica is back', patience, () => isReady(lost))
    }
    expect(complaints.filter((text) => !/WebSocket connection/.test(text))).toEqual([])
    await admin.delete(`/v1/phones/${phone.id}`)
  } finally {
    await browser.close()
  }
})

it('does not affect the first replica when the other stops', async () => {
  await promisify(execFile)(path.join(root, 'scripts/down'), ['--data', other.dir], { cwd: root })
  await ctl(first, 'project', 'list')
  await startReplica(first, other.dir, service.url, Number(new URL(other.up.base_url).port))
  await service.ready()
})
