/**
 * `@phonerack/sdk` on a network that cuts connections: it creates no second phone, repeats no action, and
 * starts no unrequested session. The SDK sends through a cable and a relay that holds answers; the checks
 * send requests directly to the service.
 */
import { Phonerack, ConnectionError, openApp, tap, type, type Phone } from '@phonerack/sdk'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openCable, type Cable } from './system/cable.js'
import { cuts, type Cut } from './system/cuts.js'
import { holdAnswers, type HeldAnswers } from './system/held-answers.js'
import { newKey, newTenant, whenFree } from './system/tenant.js'

let relay: HeldAnswers
let cable: Cable
/** SDKs that send through the cable; `twice` repeats a call once, `once` never. */
let client: Phonerack
let twice: Phonerack
let once: Phonerack
let direct: Phonerack
/** The same phone, through the cable and directly. */
let phone: Phone
let same: Phone
/** Called when an attempt of the SDK fails. */
let onFailure: () => void = () => undefined

beforeAll(async () => {
  const system = inject('system')
  const { projectId } = await newTenant(system)
  const apiKey = await newKey(system, projectId, 'admin')
  relay = await holdAnswers(Number(new URL(system.up.base_url).port))
  cable = await openCable(relay.port)
  const fetchThrough: typeof fetch = async (...args) => {
    try {
      return await fetch(...args)
    } catch (error) {
      onFailure()
      throw error
    }
  }
  const options = { apiKey, baseUrl: `http://127.0.0.1:${cable.port}`, fetch: fetchThrough }
  client = new Phonerack(options)
  twice = new Phonerack({ ...options, maxRetries: 1 })
  once = new Phonerack({ ...options, maxRetries: 0 })
  direct = new Phonerack({ apiKey, baseUrl: system.up.base_url })
  // Other tests may hold every phone for a moment.
  await whenFree(async () => {
    same = await direct.phones.create({ name: 'cut' })
  })
  phone = await client.phones.get(same.id)
})
afterAll(async () => {
  for (const each of await direct.phones.list().toArray()) await each.delete()
  await cable.close()
  await relay.close()
})

/**
 * Sends a call whose first attempt is cut. Later attempts pass.
 * @returns the call's outcome, and the requests that arrived
 */
async function cutCall<T>(
  { heldAfter }: Cut,
  call: () => Promise<T>,
): Promise<{ value?: T; error?: unknown; arrived: string[] }> {
  const before = relay.requests().length
  if (heldAfter === null) {
    cable.set('cut')
    onFailure = () => cable.set('open')
  }
  const held = heldAfter === null ? Promise.resolve() : relay.hold(heldAfter)
  const settled = call().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  try {
    // The service has answered, so it has carried out the request.
    await held
    relay.pass()
    if (heldAfter !== null) cable.reset()
    const outcome = await settled
    return { ...outcome, arrived: relay.requests().slice(before) }
  } finally {
    onFailure = () => undefined
    relay.pass()
    cable.set('open')
  }
}

const count = (arrived: readonly string[], line: string): number =>
  arrived.filter((each) => each === line).length

/**
 * The error of a cut call. If the connection was reset while it was opened, the SDK may know that nothing was sent.
 */
function failed({ arrived }: Cut, error: unknown): ConnectionError {
  if (!(error instanceof ConnectionError)) throw error
  expect(error).toMatchObject({ code: 'connection_failed', retryable: !error.isOutcomeUnknown })
  if (arrived === 1) expect(error.isOutcomeUnknown).toBe(true)
  return error
}

describe.each(cuts)('a connection that is cut $moment', (cut) => {
  it('gives one phone for a create', async () => {
    await whenFree(async () => {
      const marker = `${cut.moment} ${Date.now()}`
      const { value, error, arrived } = await cutCall(cut, () =>
        twice.phones.create({ metadata: { marker }, wait: false }),
      )
      const made = await direct.phones.list({ metadata: { marker } }).toArray()
      await Promise.all(made.map((each) => each.delete()))
      if (error instanceof Error) throw error
      expect(made.map(({ id }) => id)).toEqual([value?.id])
      // The second attempt arrived too, and got the same phone because of its key.
      expect(count(arrived, 'POST /v1/phones')).toBe(cut.arrived + 1)
    })
  })

  it('gives the phone of a create that failed when it is repeated with the key of the error', async () => {
    await whenFree(async () => {
      const marker = `again ${cut.moment} ${Date.now()}`
      const options = { metadata: { marker }, wait: false }
      const { error } = await cutCall(cut, () => once.phones.create(options))
      const { isOutcomeUnknown, details } = failed(cut, error)
      const { idempotency_key: key } = details
      expect(typeof key).toBe(isOutcomeUnknown ? 'string' : 'undefined')
      const repeat = typeof key === 'string' ? { ...options, idempotencyKey: key } : options
      const value = await once.phones.create(repeat)
      const made = await direct.phones.list({ metadata: { marker } }).toArray()
      await Promise.all(made.map((each) => each.delete()))
      expect(made.map(({ id }) => id)).toEqual([value.id])
    })
  })

  it('sends actions once', async () => {
    const text = `once${cuts.indexOf(cut)}x`
    await same.act([openApp('com.phonerack.notes')])
    const add = (await same.observe()).find({ desc: 'New note' })
    if (add) await same.act([tap(add)])
    const { error, arrived } = await cutCall(cut, () => phone.act([type(text, { into: { text: 'Title' } })]))
    failed(cut, error)
    expect(count(arrived, `POST /v1/phones/${phone.id}/actions`)).toBe(cut.arrived)
    const screen = await same.observe()
    expect(screen.text.includes(text)).toBe(cut.arrived === 1)
    expect(screen.text).not.toContain(`${text}${text}`)
    // Empties the list for the next test.
    await same.act([{ type: 'back' }, { type: 'back' }, { type: 'home' }])
  })

  it('starts once, and renews no session afterwards', async () => {
    const before = await same.sessions().toArray()
    const { error, arrived } = await cutCall(cut, () => phone.start({ maxDuration: 900, wait: false }))
    failed(cut, error)
    const start = `POST /v1/phones/${phone.id}/start`
    expect(count(arrived, start)).toBe(cut.arrived)
    const after = await same.sessions().toArray()
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
    if (cut.arrived === 0) expect(after).toEqual(before)
    // The next calls of the same client renew no session.
    const seen = relay.requests().length
    await phone.refresh()
    await phone.observe()
    expect(relay.requests().slice(seen)).toEqual([
      `GET /v1/phones/${phone.id}`,
      `GET /v1/phones/${phone.id}/observe`,
    ])
    expect(await same.sessions().toArray()).toEqual(after)
  })
})
