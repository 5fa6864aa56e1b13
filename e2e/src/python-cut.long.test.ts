/**
 * The Python SDK, sync and async, on a network that cuts connections: it creates no second phone, repeats no
 * action, and starts no unrequested session. Its program sends through a relay; the checks send requests
 * directly to the service.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openApp, Phonerack, tap, type, type Phone } from '@phonerack/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { ClientProcess, ClientSettings, Failure, Outcome } from './system/clients/client.js'
import { hasHttpx, pythonClient } from './system/clients/line-client.js'
import { cuts, type Cut } from './system/cuts.js'
import { holdAnswers, type HeldAnswers } from './system/held-answers.js'
import { newKey, newTenant, untilFree } from './system/tenant.js'

let home: string
let apiKey: string
let direct: Phonerack
let isMissing = false
beforeAll(async () => {
  isMissing = !(await hasHttpx())
  const system = inject('system')
  const { projectId } = await newTenant(system)
  apiKey = await newKey(system, projectId, 'admin')
  direct = new Phonerack({ apiKey, baseUrl: system.up.base_url })
  home = await mkdtemp(path.join(tmpdir(), 'phonerack-python-'))
})
afterAll(async () => {
  for (const each of await direct.phones.list().toArray()) await each.delete()
  await rm(home, { recursive: true })
})
beforeEach(({ skip }) => skip(isMissing, 'missing: python3-httpx'))

/** Repeats a call while no phone is free, since other tests may hold all phones for a moment. */
async function whenFree(call: () => Promise<Outcome | null>): Promise<Outcome> {
  const outcome = await untilFree(call, (answer) => answer?.failure?.code === 'capacity_unavailable')
  if (outcome === null) throw new Error('the program was killed')
  return outcome
}

const count = (arrived: readonly string[], line: string): number =>
  arrived.filter((each) => each === line).length

/**
 * The failure of a cut call. If the connection was reset while it was opened, the client may know that nothing was sent.
 */
function failed({ arrived }: Cut, { failure }: Outcome): Failure {
  if (failure === null) throw new Error('the call has succeeded')
  expect(failure).toMatchObject({ code: 'connection_failed', retryable: !failure.isUnknown })
  if (arrived === 1) expect(failure.isUnknown).toBe(true)
  return failure
}

describe.concurrent.each(['sync', 'async'] as const)('the %s client', (kind) => {
  let relay: HeldAnswers
  let client: ClientProcess
  /** The client repeats once. */
  let twice: ClientProcess
  /** The client never repeats. */
  let once: ClientProcess
  /** The client's phone, read directly. */
  let phone: Phone
  const marked = (marker: string): Promise<Phone[]> => direct.phones.list({ metadata: { marker } }).toArray()

  beforeAll(async () => {
    if (isMissing) return
    relay = await holdAnswers(Number(direct.baseUrl.port))
    const settings: ClientSettings = { apiKey, baseUrl: `http://127.0.0.1:${relay.port}`, home }
    client = await pythonClient(kind).open(settings)
    twice = await pythonClient(kind, 1).open(settings)
    once = await pythonClient(kind, 0).open(settings)
    const { phone: id, failure } = await whenFree(() => client.create({ metadata: { kind } }))
    expect(failure).toBeNull()
    phone = await direct.phones.get(id ?? '')
    await phone.act([openApp('com.phonerack.notes')])
    const add = (await phone.waitFor({ desc: 'New note' })).find({ desc: 'New note' })
    if (add) await phone.act([tap(add)])
    await client.observe(phone.id)
  })
  afterAll(async () => {
    if (isMissing) return
    for (const each of [client, twice, once]) await each.close()
    await relay.close()
  })

  /**
   * Sends a call whose first attempt is cut. Later attempts pass.
   * @returns the call's outcome, and the requests that arrived
   */
  async function cutCall(
    { heldAfter }: Cut,
    call: () => Promise<Outcome | null>,
  ): Promise<Outcome & { arrived: string[] }> {
    const before = relay.requests().length
    const isCut = heldAfter === null ? relay.refuse() : relay.hold(heldAfter)
    const settled = call()
    // A call that fails without another connection was not cut.
    await Promise.race([isCut, settled])
    relay.pass()
    relay.reset()
    const outcome = await settled
    if (outcome === null) throw new Error('the program was killed')
    return { ...outcome, arrived: relay.requests().slice(before) }
  }

  describe.each(cuts)('a connection that is cut $moment', { concurrent: false }, (cut) => {
    it('gives one phone for a create', async () => {
      let marker = ''
      let arrived: string[] = []
      const { phone: id, failure } = await whenFree(async () => {
        marker = `${kind} ${cut.moment} ${Date.now()}`
        const outcome = await cutCall(cut, () => twice.create({ metadata: { marker } }))
        arrived = outcome.arrived
        return outcome
      })
      const made = await marked(marker)
      await Promise.all(made.map((each) => each.delete()))
      expect(failure).toBeNull()
      expect(made.map((each) => each.id)).toEqual([id])
      // The second attempt arrived too, and got the same phone because of its key.
      expect(count(arrived, 'POST /v1/phones')).toBe(cut.arrived + 1)
      expect(new Set(relay.keys().slice(-count(arrived, 'POST /v1/phones'))).size).toBe(1)
    })

    it('gives the phone of a create that failed when it is repeated with its key', async () => {
      const marker = `${kind} again ${cut.moment} ${Date.now()}`
      const failure = failed(cut, await cutCall(cut, () => once.create({ metadata: { marker } })))
      expect(failure.key === null).toBe(!failure.isUnknown)
      const { key } = failure
      const repeat = key === null ? { metadata: { marker } } : { metadata: { marker }, key }
      const { phone: id, failure: second } = await whenFree(() => once.create(repeat))
      const made = await marked(marker)
      await Promise.all(made.map((each) => each.delete()))
      expect(second).toBeNull()
      expect(made.map((each) => each.id)).toEqual([id])
    })

    it('sends actions once', async () => {
      const text = `at${Date.now() % 1_000_000}x`
      const call = () => client.act(phone.id, [type(text, { into: { id: 'title' } })])
      const outcome = await cutCall(cut, call)
      failed(cut, outcome)
      expect(count(outcome.arrived, `POST /v1/phones/${phone.id}/actions`)).toBe(cut.arrived)
      const screen = await phone.observe()
      expect(screen.text.includes(text)).toBe(cut.arrived === 1)
      expect(screen.text).not.toContain(`${text}${text}`)
    })

    it('starts once, and renews no session afterwards', async () => {
      const before = await phone.sessions().toArray()
      const outcome = await cutCall(cut, () => client.start(phone.id, 900))
      failed(cut, outcome)
      expect(count(outcome.arrived, `POST /v1/phones/${phone.id}/start`)).toBe(cut.arrived)
      const after = await phone.sessions().toArray()
      expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
      if (cut.arrived === 0) expect(after).toEqual(before)
      const seen = relay.requests().length
      expect(await client.observe(phone.id)).toMatchObject({ failure: null })
      expect(relay.requests().slice(seen)).toEqual([`GET /v1/phones/${phone.id}/observe`])
      expect(await phone.sessions().toArray()).toEqual(after)
    })

    it('repeats a read', async () => {
      const { failure, arrived } = await cutCall(cut, () => client.observe(phone.id))
      expect(failure).toBeNull()
      expect(arrived).toEqual(
        Array.from({ length: cut.arrived + 1 }, () => `GET /v1/phones/${phone.id}/observe`),
      )
    })
  })
})
