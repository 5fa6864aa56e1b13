// bench: the console: an agent's reads while walls are watched, the first load, and frames of a list of 1,000 phones
/**
 * `./scripts/bench console [wall|load|list …]`. `wall`: 12 virtual phones at their real pace; an agent reads them in turn, in
 * blocks without and with two people who watch all thumbnails. `load`: Chromium with an empty cache opens pages in turns and
 * clicks until a control answers. `list`: Chromium scrolls phones whose rows are inserted into Postgres, in turns with a bare
 * page. `BLOCKS`, `READS`, `ROUNDS` and `SCROLLS` change the
 * numbers.
 */
import { type Browser } from 'playwright-core'
import { setTimeout as pause } from 'node:timers/promises'
import { openBrowser } from '@phonerack/e2e/system/browser.js'
import { acceptLink, becomeOperator, newPage, operatorLink } from '@phonerack/e2e/system/console-pages.js'
import { startSystem, stopSystem, type System } from '@phonerack/e2e/system/system.js'
import { newTenant } from '@phonerack/e2e/system/tenant.js'
import { startBarePages } from './bare-pages.js'
import { droppedOf, openList, readsDuring, scrollThrough, sizeOf } from './console-list.js'
import { openEmpty, type Clicked, type Opened } from './console-page.js'
import { insertPhones } from './console-rows.js'
import { measureWall, phoneCount } from './console-wall.js'
import { printShares, quantile } from './figures.js'
import { watchMachine } from './load.js'

const rounds = Number(process.env['ROUNDS'] ?? 12)
const scrolls = Number(process.env['SCROLLS'] ?? 3)
const rows = 1000
/**
 * Milliseconds for which reads of the list are counted, and after which the parts are counted that are loaded
 * in advance.
 */
const watchedMs = 21_000
const laterMs = 2000

const sections: Record<string, () => Promise<void>> = { wall, load, list }
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(sections, name))
if (unknown.length > 0) throw new Error(`there is ${Object.keys(sections).join(', ')}`)
const wanted = asked.length > 0 ? asked : Object.keys(sections)

const say = (line: string) => process.stdout.write(`${line}\n`)
const system: System = await startSystem({
  virtualPhones: wanted.includes('wall') ? phoneCount : 1,
  env: {
    PHONERACK_VIRTUAL_PHONE_PACE: 'real',
    PHONERACK_REQUESTS_PER_MINUTE: '100000000',
    PHONERACK_LIFECYCLE_PER_MINUTE: '100000',
    LOG_LEVEL: 'warn',
  },
})
const browser: Browser = await openBrowser()

/** Operators, who may see every project. */
async function signIn(isFirst: boolean) {
  const page = await newPage(browser, {}, [])
  const person = { name: 'Bench', email: `bench${isFirst ? '' : '2'}@example.com` }
  if (isFirst) await becomeOperator(page, system, person)
  else await acceptLink(page, await operatorLink(system), person)
  const { origin } = new URL(page.url())
  const storageState = await page.context().storageState()
  await page.context().close()
  const cookie = storageState.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  return { origin, storageState, cookie }
}
const person = await signIn(true)

async function wall(): Promise<void> {
  const other = await signIn(false)
  await measureWall(system, person.origin, [person.cookie, other.cookie], say)
}

async function projectWithRows(): Promise<{ projectId: string; url: string }> {
  const { projectId } = await newTenant(system)
  await insertPhones(
    system,
    projectId,
    Array.from({ length: rows }, (_, at) => `phone ${at + 1}`),
  )
  return { projectId, url: `${person.origin}/console/projects/${projectId}/phones` }
}

async function load(): Promise<void> {
  const { origin, storageState } = person
  const { url } = await projectWithRows()
  const bare = await startBarePages(rows)
  const button = (text: string): string =>
    `[...document.querySelectorAll('button')].find((each) => each.textContent.trim() === '${text}')`
  const fill = `document.querySelectorAll('input').forEach((each) => each.value = 'bench@example.com')`
  const pages: Clicked[] = [
    {
      name: 'bare page with a button, another server',
      url: bare.url,
      control: `document.querySelector('button')`,
      hasAnswered: `document.title === 'answered'`,
    },
    {
      name: 'documentation: switch of its theme',
      url: `${origin}/docs/`,
      control: `document.querySelector('.VPSwitchAppearance')`,
      hasAnswered: `document.documentElement?.classList.contains('dark')`,
    },
    {
      name: 'sign-in: "Sign in"',
      url: `${origin}/console/sign-in`,
      control: `(${fill}, ${button('Sign in')})`,
      hasAnswered: `document.querySelector('button[type=submit]:disabled')`,
    },
    {
      name: 'phones: "New phone"',
      url,
      storageState,
      control: button('New phone'),
      hasAnswered: `document.querySelector('[role=dialog]')`,
    },
  ]
  const machine = await watchMachine()
  const opened = pages.map((): Opened[] => [])
  const later = pages.map(() => 0)
  try {
    // The first round is not counted, since the control plane and Chromium are cold.
    for (let round = -1; round < rounds; round += 1)
      for (const [at, page] of pages.entries()) {
        const one = await openEmpty(browser, page, round < 0 ? laterMs : 0)
        if (round >= 0) opened[at]?.push(one)
        else later[at] = one.laterScriptBytes
      }
  } finally {
    await bare.stop()
  }
  printShares(
    `From the navigation until a control answers a click, empty cache (${await machine()})`,
    pages.map(({ name }, at) => [name, opened[at]?.map(({ answeredMs }) => answeredMs) ?? []]),
  )
  for (const [at, { name }] of pages.entries()) {
    const median = (of: keyof Opened) => quantile(opened[at]?.map((each) => each[of]) ?? [], 0.5).toFixed(0)
    say(`${name}: shown after ${median('shownMs')} ms; ${median('scriptBytes')} bytes of scripts until then,`)
    say(`  ${median('bytes')} of all files, ${later[at]} of scripts ${laterMs / 1000} s later`)
  }
}

async function list(): Promise<void> {
  const { projectId, url } = await projectWithRows()
  const bare = await startBarePages(rows)
  const sides = [
    { name: 'bare page of lines', url: `${bare.url}/list` },
    { name: 'phones', url, storageState: person.storageState },
  ]
  const machine = await watchMachine()
  const frames = sides.map((): number[] => [])
  try {
    for (let round = 0; round < scrolls; round += 1)
      for (const [at, side] of sides.entries()) {
        const page = await openList(browser, { ...side, last: `phone ${rows}` })
        const { nodes, heap } = await sizeOf(page)
        const ofRound = await scrollThrough(page)
        frames[at]?.push(...ofRound)
        say(`${side.name}: ${nodes} elements, ${(heap / 1e6).toFixed(1)} MB of heap when all are loaded`)
        await page.context().close()
      }
  } finally {
    await bare.stop()
  }
  printShares(
    `Frames while ${rows} phones scroll (${await machine()})`,
    sides.map(({ name }, at) => [name, frames[at] ?? []]),
  )
  for (const [at, { name }] of sides.entries()) {
    const longest = quantile(frames[at] ?? [], 1).toFixed(0)
    say(`${name}: ${droppedOf(frames[at] ?? [])} of ${frames[at]?.length} dropped, the longest ${longest} ms`)
  }
  const page = await openList(browser, { url, storageState: person.storageState, last: `phone ${rows}` })
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)')
  await pause(2000)
  const quiet = await readsDuring(page, () => pause(watchedMs))
  const creates = 10
  const busy = await readsDuring(page, async () => {
    for (let made = 0; made < creates; made += 1) {
      await insertPhones(system, projectId, [`new ${made}`])
      await pause(1000)
    }
  })
  say(`reads in ${watchedMs / 1000} s, in the middle of ${rows} phones: ${quiet}`)
  say(`reads during ${creates} creates, one a second: ${busy}`)
  await page.context().close()
}

try {
  for (const name of wanted) await sections[name]?.()
} finally {
  await browser.close()
  await stopSystem(system)
}
