// bench: the live view in Chromium: first picture, glass to glass and cost, with 1, 5 and 20 watchers
/**
 * A person's live view of a virtual phone: the time to the first picture, the age of a picture when its
 * pixels are on the page, the latency of a press, and the cost of each watcher. One watcher is Chromium; the
 * others are plain WebSocket readers, one of which is stalled. `./scripts/bench live [join|watch|plain …]`;
 * `ROUNDS`, `SECONDS`.
 */
import { type Browser } from 'playwright-core'
import { z } from 'zod'
import { openBrowser } from '@phonerack/e2e/system/browser.js'
import { pidOf, type Service } from '@phonerack/e2e/system/processes.js'
import { startSystem, stopSystem } from '@phonerack/e2e/system/system.js'
import { eventually, newTenant, readyPhone } from '@phonerack/e2e/system/tenant.js'
import { figures, print, type Figures } from './figures.js'
import { openPage, pressHome, watchBlocks, type Place } from './live-page.js'
import { openReader, type Reader } from './live-reader.js'
import { cpuOf, watchMachine } from './load.js'
import { watchPlainly } from './plain-video.js'

const rounds = Number(process.env['ROUNDS'] ?? 20)
const seconds = Number(process.env['SECONDS'] ?? 15)
/** Milliseconds after which a phone stops capturing for a new link, or after its viewer has left. */
const filmsNoLonger = { made: 37_000, left: 7000 }

const system = await startSystem({
  virtualPhones: 1,
  env: { PHONERACK_VIRTUAL_PHONE_PACE: 'real', PHONERACK_REQUESTS_PER_MINUTE: '1000000', LOG_LEVEL: 'warn' },
})
const browser = await openBrowser()
const tenant = await newTenant(system)
const { id } = await readyPhone(tenant.admin, { max_duration: 10_800, idle_timeout: 3600 })
const path = `/v1/phones/${id}`
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const say = (line: string) => process.stdout.write(`${line}\n`)

async function act(...actions: object[]): Promise<void> {
  const answer = await tenant.admin.post(`${path}/actions`, { actions, observe: 'none' })
  const done = z.object({ completed: z.int() }).safeParse(answer.body).data?.completed
  if (done !== actions.length) throw new Error(JSON.stringify(answer.body))
}

const link = async (): Promise<string> =>
  z.object({ url: z.string() }).parse((await tenant.admin.post(`${path}/live`)).body).url

/** Opens the screen that shows the time in blocks. */
async function showBlocks(): Promise<Place> {
  await act({ type: 'open_app', package: 'com.phonerack.trouble' })
  // The app may still show the blocks.
  const there = await placeOfBlocks()
  if (there) return there
  await act({ type: 'tap', target: { text: 'Time in blocks' } })
  const found = await placeOfBlocks()
  if (!found) throw new Error('the phone does not show the time in blocks')
  return found
}

async function placeOfBlocks(): Promise<Place | null> {
  const answer = await tenant.admin.get(`${path}/observe`)
  const { screen, elements } = z
    .object({
      screen: z.object({ width: z.number(), height: z.number() }),
      elements: z.array(
        z.object({ desc: z.string().nullable(), bounds: z.tuple([z.int(), z.int(), z.int(), z.int()]) }),
      ),
    })
    .parse(answer.body)
  const found = elements.find(({ desc }) => desc === 'Time in blocks')
  if (!found) return null
  const [left, top, right, bottom] = found.bounds
  const { width, height } = screen
  return { left: left / width, top: top / height, right: right / width, bottom: bottom / height }
}

/** Each run uses a new browser profile with an empty cache. */
async function openings(name: string, times: number, url: () => Promise<string>, left = 0): Promise<Figures> {
  const found: number[] = []
  for (let round = -1; round < times; round++) {
    const { page, ms } = await openPage(browser, await url())
    if (round >= 0) found.push(ms)
    await page.context().close()
    await pause(left)
  }
  return figures(name, found)
}

async function join(): Promise<void> {
  const load = await watchMachine()
  const few = Math.min(rounds, 8)
  await act({ type: 'home' })
  const rows = [
    await openings('nobody watched before, link just made', few, async () => {
      await tenant.admin.post(`${path}/park`)
      await tenant.admin.post(`${path}/start`)
      await eventually('the phone is ready', 150_000, async () => (await ready()) === 'ready')
      await act({ type: 'home' })
      return link()
    }),
  ]
  const lasting = await link()
  await pause(filmsNoLonger.made)
  const again = () => Promise.resolve(lasting)
  rows.push(await openings('nobody watched before, older link', few, again, filmsNoLonger.left))
  const first = await openPage(browser, lasting)
  rows.push(await openings('another watches a still screen', rounds, again))
  await showBlocks()
  rows.push(await openings('another watches a moving screen', rounds, again))
  await first.page.context().close()
  print('From the navigation to the first picture', rows)
  say(await load())
}

const ready = async () => z.object({ status: z.string() }).parse((await tenant.admin.get(path)).body).status

/** No other watcher keeps the video running. */
async function plain(): Promise<void> {
  const devices = z.object({
    data: z.array(z.object({ serial: z.string(), phone_id: z.string().nullable() })),
  })
  const { data } = devices.parse((await tenant.operator.get('/operator/v1/devices')).body)
  const serial = data.find(({ phone_id: phone }) => phone === id)?.serial
  if (serial === undefined) throw new Error('the phone has no device')
  const place = await showBlocks()
  await pause(filmsNoLonger.left)
  const load = await watchMachine()
  const { arrived, decoded, startMs } = await watchPlainly(serial, place, seconds)
  print('Without us: plain adb forward, raw video socket, ffmpeg', [
    figures('drawn on the phone → arrived, encoded', arrived),
    figures('drawn on the phone → decoded', decoded),
  ])
  say(`first picture decoded ${startMs} ms after the server was started; ${await load()}`)
}

async function watch(from: Browser): Promise<void> {
  await act({ type: 'home' })
  const url = await link()
  const { page } = await openPage(from, url)
  const readers: Reader[] = []
  const [presses, ages]: [Figures[], Figures[]] = [[], []]
  const notes: string[] = []
  for (const watchers of [1, 5, 20]) {
    while (readers.length < watchers - 1) readers.push(await openReader(url, readers.length === 0))
    const place = await showBlocks()
    await pause(1000)
    const load = await watchMachine()
    const costs = await costsFrom(watchers)
    const seen = await watchBlocks(page, place, seconds)
    ages.push(figures(`${watchers} watching`, seen.ages))
    const rate = (seen.ages.length / seconds).toFixed(1)
    notes.push(
      `  ${watchers} watching: ${rate} pictures/s, ${seen.unread} unreadable; ${await costs()}; ${await load()}`,
    )
    notes.push(`  – a finger scrolls a list: ${await scrolling(watchers)}`)
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      await act({ type: 'open_app', package: 'com.phonerack.notes' })
      await pause(600)
      times.push(await pressHome(page))
    }
    presses.push(figures(`${watchers} watching`, times))
  }
  print('Glass to glass: drawn on the phone → read back from the page’s pixels', ages)
  say(notes.join('\n'))
  print('Home pressed on the page → in its pixels', presses)
  for (const reader of readers) reader.close()
  await page.context().close()
}

/** Measures the cost of watching while a finger scrolls a list up and down, so that every picture differs. */
async function scrolling(watchers: number): Promise<string> {
  const swipe = (from: number, to: number) => ({
    type: 'swipe',
    from: { x: 540, y: from },
    to: { x: 540, y: to },
    duration_ms: 1000,
  })
  await act({ type: 'open_app', package: 'com.phonerack.shop' })
  const load = await watchMachine()
  const costs = await costsFrom(watchers)
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) await act(swipe(1800, 600), swipe(600, 1800))
  return `${await costs()}; ${await load()}`
}

/** Measures the parts' processor time from now on. */
async function costsFrom(watchers: number): Promise<() => Promise<string>> {
  const parts: Service[] = ['host-agent', 'control-plane']
  const pids = await Promise.all(parts.map((part) => pidOf(system, part)))
  const used = () =>
    Promise.all(pids.map((pid) => (pid === null ? Promise.reject(new Error('not running')) : cpuOf(pid))))
  const [before, beganAt] = [await used(), performance.now()]
  return async () => {
    const now = await used()
    const elapsed = (performance.now() - beganAt) / 1000
    const shares = now.map((each, at) => (100 * (each - (before[at] ?? 0))) / elapsed)
    const words = parts.map((part, at) => `${part} ${(shares[at] ?? 0).toFixed(1)} %`)
    const all = shares.reduce((sum, each) => sum + each, 0)
    return `${words.join(', ')} of a core, ${(all / watchers).toFixed(1)} % a watcher`
  }
}

const sections: Record<string, () => Promise<void>> = { plain, watch: () => watch(browser), join }
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(sections, name))
try {
  if (unknown.length > 0) throw new Error(`there is ${Object.keys(sections).join(', ')}`)
  for (const name of asked.length > 0 ? asked : Object.keys(sections)) await sections[name]?.()
} finally {
  await browser.close()
  await stopSystem(system)
}
