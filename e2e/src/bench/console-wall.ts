/** Watches thumbnails of phones as a page with a wall does, without a browser. Used by the bench of the console. */
import { setTimeout as pause } from 'node:timers/promises'

export interface Watching {
  /** Ends the requests. Returns how many had each status, and the bytes of the pictures. */
  stop(): Promise<{ statuses: ReadonlyMap<number, number>; bytes: number }>
}

export interface Watched {
  /** The console's origin. */
  origin: string
  project: string
  phones: readonly string[]
  /** The cookies of a person who is signed in. */
  cookie: string
}

/** One request a second for each phone, spread over the second. */
export function watchWall({ origin, project, phones, cookie }: Watched): Watching {
  const ended = new AbortController()
  const statuses = new Map<number, number>()
  let bytes = 0
  async function watch(phone: string, index: number): Promise<void> {
    let tag = ''
    await pause((1000 * index) / phones.length)
    while (!ended.signal.aborted) {
      const since = performance.now()
      const answer = await fetch(`${origin}/console/api/projects/${project}/phones/${phone}/thumbnail`, {
        headers: { cookie, ...(tag === '' ? {} : { 'if-none-match': tag }) },
        signal: AbortSignal.timeout(60_000),
      })
      bytes += (await answer.arrayBuffer()).byteLength
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      tag = answer.headers.get('etag') ?? tag
      await pause(Math.max(0, 1000 - (performance.now() - since)))
    }
  }
  const watching = Promise.all(phones.map(watch))
  // Awaited by `stop`.
  watching.catch(() => undefined)
  return {
    async stop() {
      ended.abort()
      await watching
      return { statuses, bytes }
    },
  }
}
