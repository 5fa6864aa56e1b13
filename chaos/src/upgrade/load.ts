/**
 * Clients that rent, use and return phones without a pause in between. Every unexpected answer is a failure.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Answer, Api } from '@phonerack/e2e/system/api.js'

export interface Counts {
  requests: number
  sessions: number
  failures: string[]
}

const phoneSchema = z.object({ id: z.string(), status: z.string() })

export class Load {
  readonly counts: Counts = { requests: 0, sessions: 0, failures: [] }
  private readonly stopped = new AbortController()
  private readonly workers: Promise<void>[] = []
  private parks = true

  constructor(private readonly api: Api) {}

  start(renters: number): void {
    const end = this.stopped.signal
    const repeat = async (work: () => Promise<void>, pauseMs: number): Promise<void> => {
      while (!end.aborted) {
        await work().catch((error: unknown) => void this.counts.failures.push(String(error)))
        await sleep(pauseMs)
      }
    }
    for (let n = 0; n < renters; n += 1) this.workers.push(repeat(() => this.rent(), 100))
    this.workers.push(repeat(() => this.read(), 50))
  }

  /** Whether the clients park phones too. A parked phone cannot start while its host is drained. */
  setParking(parks: boolean): void {
    this.parks = parks
  }

  async stop(): Promise<void> {
    this.stopped.abort()
    await Promise.all(this.workers)
  }

  private async read(): Promise<void> {
    await this.expect('GET', '/v1/phones')
    await this.expect('GET', '/v1/account')
  }

  private async rent(): Promise<void> {
    const created = await this.expect('POST', '/v1/phones', {})
    if (created === null) return
    const { id } = phoneSchema.parse(created.body)
    const at = `/v1/phones/${id}`
    try {
      if (!(await this.isReady(at))) return
      await this.expect('GET', `${at}/observe`)
      for (let n = 0; n < 3; n += 1)
        await this.expect('POST', `${at}/actions`, { actions: [{ type: 'tap', target: { x: 540, y: 40 } }] })
      await this.expect('GET', `${at}/screenshot`)
      if (this.parks) {
        await this.expect('POST', `${at}/park`)
        if (!(await this.settles(at, 'parked'))) return
        await this.expect('POST', `${at}/start`)
        if (!(await this.isReady(at))) return
        await this.expect('GET', `${at}/observe`)
      }
      this.counts.sessions += 1
    } finally {
      await this.expect('DELETE', at)
    }
  }

  private isReady = (at: string): Promise<boolean> => this.settles(at, 'ready', '?wait=ready&timeout=30')

  private async settles(at: string, status: string, query = ''): Promise<boolean> {
    for (const until = Date.now() + 90_000; Date.now() < until;) {
      const answer = await this.expect('GET', at + query)
      if (answer === null) return false
      const phone = phoneSchema.parse(answer.body)
      if (phone.status === status) return true
      if (['failed', 'unavailable', 'deleted'].includes(phone.status)) break
      if (query === '') await sleep(100)
    }
    this.counts.failures.push(`${at} is not ${status}`)
    return false
  }

  /** Returns null and counts a failure unless the answer is 2xx. */
  private async expect(method: string, path: string, body?: unknown): Promise<Answer | null> {
    this.counts.requests += 1
    try {
      const answer = await this.api.request(method, path, body === undefined ? {} : { body })
      if (answer.status >= 200 && answer.status < 300) return answer
      this.counts.failures.push(
        `${method} ${path}: ${answer.status} ${answer.bytes.toString().slice(0, 300)}`,
      )
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
      this.counts.failures.push(`${method} ${path}: ${String(error)} ${cause}`)
    }
    return null
  }
}
