// bench: the live view in Chromium, with 1, 5 and 20 watchers
/**
 * A person's live view of a virtual phone: how long until the first picture, how long from a press on the page to the
 * phone's answer in the page's pixels, and what each watcher costs. One watcher is Chromium; the others are plain
 * WebSocket readers, of which one is slow and takes almost nothing. `./scripts/bench live`; `ROUNDS`, `SECONDS`.
 */
import { readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { type Browser, type Page } from 'playwright-core'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { openBrowser } from '../system/browser.js'
import { pidOf, type Service } from '../system/processes.js'
import { startSystem, stopSystem, type System } from '../system/system.js'
import { eventually, newTenant, readyPhone } from '../system/tenant.js'
import { figures, print, type Figures } from './figures.js'

const rounds = Number(process.env['ROUNDS'] ?? 30)
const seconds = Number(process.env['SECONDS'] ?? 10)
/** Of `getconf CLK_TCK` on every Linux that Node runs on. */
const ticksPerSecond = 100

const system = await startSystem({ virtualPhones: 1, env: { LOG_LEVEL: 'warn' } })
const browser = await openBrowser()
try {
  const tenant = await newTenant(system)
  const { id } = await readyPhone(tenant.admin, { max_duration: 3600, idle_timeout: 3600 })
  const path = `/v1/phones/${id}`
  const act = async (...actions: object[]): Promise<void> => {
    const answer = await tenant.admin.post(`${path}/actions`, { actions, observe: 'none' })
    const done = z.object({ completed: z.int() }).safeParse(answer.body).data?.completed
    if (done !== actions.length) throw new Error(JSON.stringify(answer.body))
  }
  const link = async (): Promise<string> =>
    z.object({ url: z.string() }).parse((await tenant.admin.post(`${path}/live`)).body).url

  await act({ type: 'home' })
  print('Open the page of a resting screen', await joins(browser, link))

  const page = await openPage(browser, await link())
  const readers: WebSocket[] = []
  const answers: Figures[] = []
  const costs: string[] = []
  for (const watchers of [1, 5, 20]) {
    while (readers.length < watchers - 1) readers.push(await reader(await link(), readers.length === 0))
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      await act({ type: 'open_app', package: 'com.phonerack.notes' })
      // The page shows it too.
      await page.waitForTimeout(400)
      times.push(await pressHome(page))
    }
    answers.push(figures(`Home pressed on the page → in its pixels, ${watchers} watching`, times))
    await act({ type: 'open_app', package: 'com.phonerack.shop' })
    // One finger up and down the list, as long as it is measured.
    let isMoving = true
    const moving = (async () => {
      while (isMoving) await act(swipe(1800, 600), swipe(600, 1800))
    })()
    costs.push(await cost(system, page, watchers))
    isMoving = false
    await moving
    await act({ type: 'home' })
  }
  print('Touch to picture', answers)
  process.stdout.write(
    `\nWhile a finger scrolls a list:\n${costs.join('\n')}\nload average ${loadavg()[0]?.toFixed(1)}\n`,
  )
  for (const socket of readers) socket.terminate()
} finally {
  await browser.close()
  await stopSystem(system)
}

function swipe(from: number, to: number): object {
  return { type: 'swipe', from: { x: 540, y: from }, to: { x: 540, y: to }, duration_ms: 1000 }
}

async function openPage(from: Browser, url: string): Promise<Page> {
  const page = await (await from.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  await page.goto(url)
  await page.waitForSelector('body[data-state="live"]', { timeout: 30_000 })
  return page
}

/** From the navigation, and from the socket's opening, to the first picture. */
async function joins(from: Browser, newUrl: () => Promise<string>): Promise<Figures[]> {
  const whole: number[] = []
  for (let round = -2; round < rounds; round++) {
    const url = await newUrl()
    const page = await (await from.newContext()).newPage()
    const began = performance.now()
    await page.goto(url, { waitUntil: 'commit' })
    await page.waitForSelector('body[data-state="live"]', { timeout: 30_000 })
    if (round >= 0) whole.push(performance.now() - began)
    await page.context().close()
  }
  return [figures('from the navigation to the first picture', whole)]
}

/** Milliseconds from the press to the first picture whose middle is another. */
function pressHome(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve, reject) => {
    const canvas = document.querySelector('canvas')
    const context = canvas.getContext('2d')
    const middle = () => context.getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data
    const before = middle()
    const timer = setTimeout(() => reject(new Error('no answer within 10 s')), 10000)
    const began = performance.now()
    context.drawImage = function (...args) {
      CanvasRenderingContext2D.prototype.drawImage.apply(this, args)
      const now = middle()
      if (Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]) + Math.abs(now[2] - before[2]) < 40) return
      delete context.drawImage
      clearTimeout(timer)
      resolve(performance.now() - began)
    }
    document.getElementById('home').click()
  })`)
}

/** A watcher without a browser. A slow one acknowledges nothing, so that the server soon stops sending. */
async function reader(url: string, isSlow: boolean): Promise<WebSocket> {
  const { origin, host, hash } = new URL(url)
  const socket = new WebSocket(`ws://${host}/live/socket`, 'phonerack.live.1', { origin })
  let bytes = 0
  let acknowledged = 0
  socket.on('open', () => socket.send(JSON.stringify({ type: 'open', token: hash.slice(1) })))
  socket.on('error', (error) => process.stdout.write(`a reader broke: ${error.message}\n`))
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary || isSlow) return
    bytes += data.length
    if (bytes - acknowledged < 32_768) return
    acknowledged = bytes
    socket.send(JSON.stringify({ type: 'ack', bytes }))
  })
  let hasPicture = false
  socket.once('message', () => (hasPicture = true))
  await eventually('a reader is connected', 20_000, () => Promise.resolve(hasPicture))
  return socket
}

/** Processor time of the parts, and pictures on the page, over `seconds`. */
async function cost(of: System, page: Page, watchers: number): Promise<string> {
  const parts: Service[] = ['host-agent', 'control-plane']
  const pictures = (): Promise<number> =>
    page.evaluate<number>(`(() => {
      const context = document.querySelector('canvas').getContext('2d')
      if (!context.counted) {
        context.counted = 0
        context.drawImage = function (...args) {
          context.counted += 1
          CanvasRenderingContext2D.prototype.drawImage.apply(this, args)
        }
      }
      return context.counted
    })()`)
  const before = await Promise.all(parts.map((part) => cpuOf(of, part)))
  const seen = await pictures()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  const after = await Promise.all(parts.map((part) => cpuOf(of, part)))
  const rate = ((await pictures()) - seen) / seconds
  await page.evaluate(`(() => {
    const context = document.querySelector('canvas').getContext('2d')
    delete context.drawImage
    delete context.counted
  })()`)
  const shares = parts.map((part, at) => {
    const share = (((after[at] ?? 0) - (before[at] ?? 0)) / seconds) * 100
    return `${part} ${share.toFixed(1)} % of a core (${(share / watchers).toFixed(2)} % a watcher)`
  })
  return `  ${watchers} watching: ${rate.toFixed(1)} pictures/s on the page; ${shares.join('; ')}`
}

/** Seconds of processor time that a process has used. */
async function cpuOf(of: System, part: Service): Promise<number> {
  const pid = await pidOf(of, part)
  if (pid === null) throw new Error(`${part} is not running`)
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}
