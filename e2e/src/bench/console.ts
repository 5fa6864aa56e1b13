// bench: the console: an agent's reads while a wall is watched, the first load, and frames of a list of 1,000 phones
/**
 * `./scripts/bench console [wall|load|list …]`. `wall`: 12 virtual phones at their real pace; an agent reads them in turn, in
 * blocks without and with somebody who watches all thumbnails. `load`: Chromium with an empty cache. `list`: Chromium scrolls
 * phones whose rows are inserted into Postgres, in turns with and without `content-visibility`. `BLOCKS`, `READS` and `ROUNDS`
 * change the numbers.
 */
import { newId } from '@phonerack/shared'
import pg from 'pg'
import { setTimeout as pause } from 'node:timers/promises'
import { openBrowser } from '../system/browser.js'
import { becomeOperator, newPage } from '../system/console-pages.js'
import { databaseUrl } from '../system/database.js'
import { startSystem, stopSystem } from '../system/system.js'
import { newTenant, readyPhone } from '../system/tenant.js'
import { openEmpty, openList, scrollThrough } from './console-page.js'
import { watchWall } from './console-wall.js'
import { figures, print, quantile } from './figures.js'
import { watchMachine } from './load.js'

const blocks = Number(process.env['BLOCKS'] ?? 6)
const reads = Number(process.env['READS'] ?? 40)
const rounds = Number(process.env['ROUNDS'] ?? 5)
const phoneCount = 12
const rows = 1000
/** Milliseconds between two reads of an agent, and of a frame that is called long. */
const thinkMs = 150
const longMs = 50

const sections: Record<string, () => Promise<void>> = { wall, load, list }
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(sections, name))
if (unknown.length > 0) throw new Error(`there is ${Object.keys(sections).join(', ')}`)
const wanted = asked.length > 0 ? asked : Object.keys(sections)

const say = (line: string) => process.stdout.write(`${line}\n`)
const system = await startSystem({
  virtualPhones: wanted.includes('wall') ? phoneCount : 1,
  env: {
    ...{ PHONERACK_VIRTUAL_PHONE_PACE: 'real', PHONERACK_REQUESTS_PER_MINUTE: '100000000' },
    LOG_LEVEL: 'warn',
  },
})
const browser = await openBrowser()

/** An operator, who may see every project. */
async function signIn() {
  const page = await newPage(browser, {}, [])
  await becomeOperator(page, system, { name: 'Bench', email: 'bench@example.com' })
  const { origin } = new URL(page.url())
  const storageState = await page.context().storageState()
  await page.context().close()
  const cookie = storageState.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  return { origin, storageState, cookie }
}
const person = await signIn()

async function wall(): Promise<void> {
  const tenant = await newTenant(system)
  const life = { max_duration: 10_800, idle_timeout: 3600 }
  const phones: string[] = []
  for (let made = 0; made < phoneCount; made += 1) phones.push((await readyPhone(tenant.admin, life)).id)
  for (const id of phones)
    await tenant.admin.post(`/v1/phones/${id}/actions`, {
      actions: [{ type: 'open_app', package: 'com.android.settings' }],
    })
  const { origin, cookie } = person
  const times = { alone: [] as number[], watched: [] as number[] }
  const machine = await watchMachine()
  const statuses = new Map<number, number>()
  let bytes = 0
  let watchedMs = 0
  for (let block = 0; block < blocks; block += 1)
    for (const side of block % 2 === 0 ? (['alone', 'watched'] as const) : (['watched', 'alone'] as const)) {
      const watching =
        side === 'watched' ? watchWall({ origin, cookie, project: tenant.projectId, phones }) : null
      const since = performance.now()
      // Until all pictures are shared.
      await pause(2000)
      for (let read = 0; read < reads; read += 1) {
        const began = performance.now()
        const { status } = await tenant.agent.get(
          `/v1/phones/${phones[read % phoneCount]}/observe?format=text`,
        )
        if (status !== 200) throw new Error(`a read answered ${status}`)
        times[side].push(performance.now() - began)
        await pause(thinkMs)
      }
      if (!watching) continue
      watchedMs += performance.now() - since
      const seen = await watching.stop()
      bytes += seen.bytes
      for (const [status, count] of seen.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count)
    }
  print(`An agent's observe (format=text), ${phoneCount} phones (${await machine()})`, [
    figures('nobody watches', times.alone),
    figures(`${phoneCount} thumbnails are watched`, times.watched),
  ])
  const counted = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')
  say(
    `thumbnails in ${(watchedMs / 1000).toFixed(0)} s: ${counted}; ${(bytes / 1000).toFixed(0)} kB of pictures`,
  )
}

/** A project with phones that exist only as rows. */
async function insertPhones(): Promise<string> {
  const { projectId } = await newTenant(system)
  const client = new pg.Client({ connectionString: await databaseUrl(system) })
  await client.connect()
  try {
    const ids = Array.from({ length: rows }, () => newId('phone'))
    await client.query(
      `insert into phones (id, project_id, key_id, name, status, metadata, created_at, has_data)
        select id, $2, 'bench', 'phone ' || n, 'parked', '{"team":"checkout","purpose":"bench"}',
          now() - n * interval '1 second', true
        from unnest($1::text[]) with ordinality as of (id, n)`,
      [ids, projectId],
    )
  } finally {
    await client.end()
  }
  return `${person.origin}/console/projects/${projectId}/phones`
}

async function load(): Promise<void> {
  const url = await insertPhones()
  const machine = await watchMachine()
  const times: number[] = []
  let last = { scriptBytes: 0, scripts: 0 }
  // The first one is not counted: the control plane and Chromium are cold.
  for (let round = -1; round < rounds; round += 1) {
    const opened = await openEmpty(browser, url, person.storageState)
    if (round >= 0) times.push(opened.interactiveMs)
    last = opened
  }
  print(`The page Phones with an empty cache (${await machine()})`, [figures('interactive', times)])
  say(`${last.scripts} scripts, ${last.scriptBytes} bytes as transferred`)
}

async function list(): Promise<void> {
  const url = await insertPhones()
  const machine = await watchMachine()
  const frames = { lazy: [] as number[], whole: [] as number[] }
  for (let round = 0; round < rounds; round += 1)
    for (const side of round % 2 === 0 ? (['lazy', 'whole'] as const) : (['whole', 'lazy'] as const)) {
      const isLazy = side === 'lazy'
      const page = await openList(browser, { url, storageState: person.storageState, rows, isLazy })
      frames[side].push(...(await scrollThrough(page)))
      await page.context().close()
    }
  print(`Frames while ${rows} phones scroll (${await machine()})`, [
    figures('with content-visibility', frames.lazy),
    figures('without', frames.whole),
  ])
  for (const side of ['lazy', 'whole'] as const) {
    const long = frames[side].filter((ms) => ms > longMs).length
    const longest = quantile(frames[side], 1).toFixed(0)
    say(`${side}: ${long} of ${frames[side].length} frames above ${longMs} ms, the longest ${longest} ms`)
  }
}

try {
  for (const name of wanted) await sections[name]?.()
} finally {
  await browser.close()
  await stopSystem(system)
}
