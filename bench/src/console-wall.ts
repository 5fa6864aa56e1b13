/**
 * An agent's reads while other clients request walls of thumbnails, without a browser. Used by the bench of
 * the console.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type System } from '@phonerack/e2e/system/system.js'
import { newTenant, readyPhone } from '@phonerack/e2e/system/tenant.js'
import { printShares } from './figures.js'
import { watchMachine } from './load.js'

export const phoneCount = 12
const blocks = Number(process.env['BLOCKS'] ?? 4)
const reads = Number(process.env['READS'] ?? 30)
/** Milliseconds between two reads of an agent. */
const thinkMs = 150
/** Milliseconds for which calls are counted while no agent reads. */
const countedMs = 10_000

interface Watched {
  /** The console's origin. */
  origin: string
  project: string
  phones: readonly string[]
  /** The cookies of a signed-in person. */
  cookie: string
}

interface Seen {
  statuses: Record<string, number>
  bytes: number
}

/**
 * Sends one request a second per phone, spread over the second, like a page with a wall. Returns the function
 * that ends the requests.
 */
function watchWall({ origin, project, phones, cookie }: Watched): () => Promise<Seen> {
  const ended = new AbortController()
  const seen: Seen = { statuses: {}, bytes: 0 }
  async function watch(phone: string, index: number): Promise<void> {
    let tag = ''
    await pause((1000 * index) / phones.length)
    while (!ended.signal.aborted) {
      const since = performance.now()
      const answer = await fetch(`${origin}/console/api/projects/${project}/phones/${phone}/thumbnail`, {
        headers: { cookie, ...(tag === '' ? {} : { 'if-none-match': tag }) },
        signal: AbortSignal.timeout(60_000),
      })
      seen.bytes += (await answer.arrayBuffer()).byteLength
      const name = `${answer.status} ${answer.headers.get('x-thumbnail') ?? ''}`.trim()
      seen.statuses[name] = (seen.statuses[name] ?? 0) + 1
      tag = answer.headers.get('etag') ?? tag
      await pause(Math.max(0, 1000 - (performance.now() - since)))
    }
  }
  const watching = Promise.all(phones.map(watch))
  // The returned function awaits these requests.
  watching.catch(() => undefined)
  return async () => {
    ended.abort()
    await watching
    return seen
  }
}

/**
 * Shell calls of the host agent to its phones. A thumbnail needs two calls, and the agent also sends calls
 * without viewers.
 */
async function shellCalls({ up }: System): Promise<number> {
  const url = up.metrics_urls.host_agent
  if (url === undefined) throw new Error('the host agent has no metrics')
  const lines = (await (await fetch(url)).text()).split('\n')
  return lines
    .filter((line) => line.startsWith('phonerack_agent_adb_calls_total') && line.includes('kind="shell"'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** @param cookies of two users */
export async function measureWall(
  system: System,
  origin: string,
  cookies: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const tenant = await newTenant(system, { creditUsd: '1000.000000' })
  const life = { max_duration: 10_800, idle_timeout: 3600 }
  const phones: string[] = []
  for (let made = 0; made < phoneCount; made += 1) phones.push((await readyPhone(tenant.admin, life)).id)
  for (const id of phones)
    await tenant.admin.post(`/v1/phones/${id}/actions`, {
      actions: [{ type: 'open_app', package: 'com.android.settings' }],
    })
  const watch = (viewers: number) => {
    const ends = cookies
      .slice(0, viewers)
      .map((cookie) => watchWall({ origin, cookie, project: tenant.projectId, phones }))
    return async (): Promise<string> => {
      const seen = await Promise.all(ends.map((end) => end()))
      return seen
        .map(({ statuses, bytes }) => `${JSON.stringify(statuses)}, ${(bytes / 1000).toFixed(0)} kB`)
        .join('; ')
    }
  }

  const paths = { observe: 'observe?format=text', screenshot: 'screenshot' } as const
  const times = { observe: [[], []] as number[][], screenshot: [[], []] as number[][] }
  const machine = await watchMachine()
  for (let block = 0; block < blocks; block += 1)
    for (const viewers of block % 2 === 0 ? [0, 2] : [2, 0]) {
      const stop = watch(viewers)
      // Waits until all callers share their pictures.
      await pause(2000)
      for (let read = 0; read < reads; read += 1) {
        const kind = read % 2 === 0 ? 'observe' : 'screenshot'
        const began = performance.now()
        const { status } = await tenant.agent.get(`/v1/phones/${phones[read % phoneCount]}/${paths[kind]}`)
        if (status !== 200) throw new Error(`a read answered ${status}`)
        times[kind][viewers === 0 ? 0 : 1]?.push(performance.now() - began)
        await pause(thinkMs)
      }
      const seen = await stop()
      if (viewers > 0) say(`viewers in block ${block}: ${seen}`)
    }
  const state = await machine()
  for (const kind of ['observe', 'screenshot'] as const)
    printShares(`An agent's ${kind}, ${phoneCount} phones (${state})`, [
      ['nobody watches', times[kind][0] ?? []],
      [`two walls of ${phoneCount} thumbnails`, times[kind][1] ?? []],
    ])
  for (const viewers of [0, 1, 2]) {
    const stop = watch(viewers)
    await pause(3000)
    const before = await shellCalls(system)
    await pause(countedMs)
    const count = (await shellCalls(system)) - before
    say(`${viewers} viewers: ${count} shell calls in ${countedMs / 1000} s. ${await stop()}`)
  }
}
