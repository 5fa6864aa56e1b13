/**
 * A client that rents one phone after another and uses it. Each of its writes contains a unique name, by
 * which `checks/witnesses.ts` finds the write on the virtual phones. Its steps are a function of the seed and
 * of the answers.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { phoneSchema, type Answer, type Phone } from '@phonerack/e2e/system/api.js'
import { word } from '../parts/topology.js'
import type { Random } from '../random.js'
import type { Violation, Watched } from './watched.js'

/** The knowledge of all clients at the end of a run. */
export interface Knowledge {
  /** The tenant of each phone. */
  phones: Map<string, string>
  sessions: Set<string>
  recordings: { phone: string; id: string; key: string }[]
  /** Phones that no client deleted, with a key that may delete them. */
  left: Map<string, string>
}

export const newKnowledge = (): Knowledge => ({
  phones: new Map(),
  sessions: new Set(),
  recordings: [],
  left: new Map(),
})

export interface RenterOptions {
  name: string
  tenant: string
  /** The secret of a key with all rights. */
  key: string
  random: Random
  watched: Watched
  knowledge: Knowledge
  report: (violation: Violation) => void
  signal: AbortSignal
}

const folder = '/sdcard/Download'
const listing = z.object({ data: z.array(z.object({ name: z.string() })) })
const withId = z.object({ id: z.string() })
const retryable = z.object({ error: z.object({ retryable: z.literal(true) }) })

/** Milliseconds between two steps. */
const thinking: readonly [number, number] = [100, 900]
const pauseAfterRefusalMs: readonly [number, number] = [500, 2000]

export async function runRenter(options: RenterOptions): Promise<void> {
  for (let life = 1; !options.signal.aborted; life += 1) await new Life(options, life).run()
}

/** Starts a phone that was rented before, and checks whose files it contains. */
export const visit = (options: RenterOptions, phone: string): Promise<void> =>
  new Life(options, 0).visit(phone)

/** Uses one phone, from its create to its end. */
class Life {
  private writes = 0
  /** Files whose write was answered with success. */
  private readonly stored = new Set<string>()
  private recording: string | null = null
  private phone = ''

  constructor(
    private readonly options: RenterOptions,
    private readonly life: number,
  ) {}

  async run(): Promise<void> {
    const { random, knowledge, key } = this.options
    const created = await this.create()
    if (!created) return
    this.phone = created.id
    knowledge.phones.set(created.id, this.options.tenant)
    knowledge.left.set(created.id, key)
    if (await this.untilReady()) {
      await this.look()
      for (let steps = random.between(3, 9); steps > 0 && !this.isOver(); steps -= 1) await this.step()
    }
    // Some phones are kept until the end of the run.
    if (random.chance(0.1) && knowledge.left.size < 6) {
      await this.send('POST', '/park', { body: { wait: false } })
      return
    }
    for (let tries = 0; tries < 3 && !this.isOver(); tries += 1) {
      const answer = await this.send('DELETE', '')
      if (answer !== null && answer.status < 500) {
        knowledge.left.delete(this.phone)
        return
      }
      await this.pause(pauseAfterRefusalMs)
    }
  }

  async visit(phone: string): Promise<void> {
    this.phone = phone
    await this.send('POST', '/start', { body: { wait: false } })
    if (await this.untilReady()) await this.look()
  }

  /** Repeats a create whose answer was lost or asks for a retry, with the same Idempotency-Key. */
  private async create(): Promise<Phone | null> {
    const { random, name, knowledge } = this.options
    const idempotencyKey = `${word}${name}-${this.life}`
    const body = { metadata: { chaos: idempotencyKey }, idle_timeout: 600, max_duration: 900 }
    const wait = random.chance(0.5)
    const ids = new Set<string>()
    let found: Phone | null = null
    for (let tries = 0; tries < 8 && !this.isOver(); tries += 1) {
      const answer = await this.request('POST', '/v1/phones', {
        body: { ...body, wait },
        headers: { 'idempotency-key': idempotencyKey },
      })
      if (answer !== null && answer.status < 300) {
        found = phoneSchema.parse(answer.body)
        ids.add(found.id)
        this.learn(found)
        // A repeated request returns the same phone.
        if (!random.chance(0.1)) break
      } else {
        if (answer !== null && (answer.status === 400 || answer.status === 409))
          this.options.report({
            rule: 'a valid create was refused',
            detail: `${name}: ${answer.bytes.toString()}`,
            at: Date.now(),
          })
        await this.pause(pauseAfterRefusalMs)
        if (answer !== null && !retryable.safeParse(answer.body).success) return null
      }
    }
    if (ids.size > 1)
      this.options.report({
        rule: 'a create made two phones',
        detail: `${idempotencyKey}: ${[...ids].join(', ')}`,
        at: Date.now(),
      })
    if (found) knowledge.phones.set(found.id, this.options.tenant)
    return found
  }

  private async untilReady(): Promise<boolean> {
    for (let tries = 0; tries < 12 && !this.isOver(); tries += 1) {
      const answer = await this.send('GET', '?wait=ready&timeout=10')
      const phone = phoneSchema.safeParse(answer?.body).data
      if (phone) this.learn(phone)
      if (phone?.status === 'ready') return true
      if (phone?.status === 'unavailable' || phone?.status === 'parked')
        await this.send('POST', '/start', { body: { wait: false } })
      if (phone?.status === 'failed' || phone?.status === 'deleted') return false
      if (answer?.status === 404) return false
      await this.pause(thinking)
    }
    return false
  }

  private async step(): Promise<void> {
    const steps = [
      ...[() => this.store(), () => this.store(), () => this.openPage(), () => this.openPage()],
      ...[
        () => this.look(),
        () => this.read(),
        () => this.park(),
        () => this.record(),
        () => this.settings(),
      ],
    ]
    await this.options.random.pick(steps)()
    await this.pause(thinking)
  }

  private async store(): Promise<void> {
    const name = `${this.mark()}.txt`
    const answer = await this.send('PUT', `/files?path=${encodeURIComponent(`${folder}/${name}`)}`, {
      body: Buffer.from(`written by ${this.options.tenant}`),
      headers: { 'content-type': 'application/octet-stream' },
    })
    if (answer?.status === 201) this.stored.add(name)
  }

  private async openPage(): Promise<void> {
    const actions = [{ type: 'open_url', url: `http://example.com/${this.mark()}` }, { type: 'home' }]
    await this.send('POST', '/actions', { body: { actions, observe: 'none' } })
  }

  /**
   * Files of another phone mean that the device was assigned without a wipe. A missing file of this phone was
   * lost.
   */
  private async look(): Promise<void> {
    const answer = await this.send('GET', `/files?path=${encodeURIComponent(folder)}`)
    const found = listing.safeParse(answer?.body).data
    if (answer?.status !== 200 || !found) return
    const names = new Set(found.data.map(({ name }) => name))
    const report = (rule: string, all: string[]) =>
      this.options.report({
        rule,
        detail: `${this.phone} (${this.options.tenant}): ${all.join(', ')}`,
        at: Date.now(),
      })
    const foreign = [...names].filter(
      (name) => name.startsWith(word) && !name.startsWith(`${word}${this.phone}-`),
    )
    if (foreign.length > 0) report('a phone holds the files of another', foreign)
    const lost = [...this.stored].filter((name) => !names.has(name))
    if (lost.length > 0) report('a stored file is gone', lost)
  }

  private async read(): Promise<void> {
    const { random } = this.options
    const paths = [
      '',
      '/observe',
      '/screenshot?format=jpeg',
      '/sessions',
      '/device',
      '/clipboard',
      '/apps',
      '/recordings',
    ]
    await this.send('GET', random.pick(paths))
    if (random.chance(0.2)) await this.request('GET', '/v1/account')
  }

  private async park(): Promise<void> {
    await this.send('POST', '/park', { body: { wait: this.options.random.chance(0.5) } })
    await this.send('GET', '?wait=parked&timeout=10')
    await this.send('POST', '/start')
    if (await this.untilReady()) await this.look()
  }

  private async record(): Promise<void> {
    const { knowledge, key } = this.options
    if (this.recording !== null) {
      await this.send('POST', `/recordings/${this.recording}/stop`)
      this.recording = null
      return
    }
    const answer = await this.send('POST', '/recordings')
    const made = withId.safeParse(answer?.body).data
    if (answer?.status !== 201 || !made) return
    this.recording = made.id
    knowledge.recordings.push({ phone: this.phone, id: made.id, key })
  }

  private async settings(): Promise<void> {
    const { random } = this.options
    const text = this.mark()
    await random.pick([
      () => this.send('PUT', '/clipboard', { body: { text } }),
      () => this.send('PUT', '/timezone', { body: { timezone: 'Europe/Berlin' } }),
      () => this.send('POST', '/heartbeat'),
      () => this.send('POST', '/live'),
      () => this.send('PATCH', '', { body: { name: text.slice(0, 60) } }),
      () => this.send('POST', '/start'),
    ])()
  }

  /** A new name, which only this phone uses. */
  private mark(): string {
    this.writes += 1
    return `${word}${this.phone}-${this.writes}`
  }

  private learn(phone: Phone): void {
    if (phone.session) this.options.knowledge.sessions.add(phone.session.id)
  }

  private send(method: string, rest: string, options = {}): Promise<Answer | null> {
    return this.request(method, `/v1/phones/${this.phone}${rest}`, options)
  }

  private request(method: string, path: string, options = {}): Promise<Answer | null> {
    return this.options.watched.send(this.options.name, this.options.key, method, path, options)
  }

  private isOver(): boolean {
    return this.options.signal.aborted
  }

  private async pause([low, high]: readonly [number, number]): Promise<void> {
    const { random, signal } = this.options
    await sleep(random.between(low, high), undefined, { signal }).catch(() => undefined)
  }
}
