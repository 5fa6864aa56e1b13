// The server's conclusions from a page's pings: whether input is late, and whether the person who has taken
// the phone over is present.
import { type WatchRequest } from '@phonerack/proto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { consoleUser, type ConsoleClient } from '../../testing/console-client.js'
import { openLive, type LiveClient } from '../../testing/live-client.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { closings, type ViewEnd } from './page/wire.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let phoneId: string
/** The text from people, as the agent received it. */
const typed: string[] = []

beforeAll(async () => {
  plane = await world.start()
  // With this accuracy, each activity is written.
  Object.assign(plane.app.core.rules, { activityAccuracyMs: 1 })
  await plane.server.listen({ host: '127.0.0.1', port: 0 })
  const agent = await plane.rack(1, { beatMs: 200 })
  agent.onWatch = (call) =>
    call.on('data', ({ event }: WatchRequest) => {
      if (event?.$case === 'text') typed.push(event.value.text)
    })
  tenant = await plane.tenant({ credit: '1000' })
  phoneId = await readyPhone(plane, tenant, { idleTimeout: 300 })
})
afterEach(() => {
  vi.restoreAllMocks()
  for (const client of timers.keys()) {
    hide(client)
    client.close()
  }
})

/** The link is not created by a request, which would count as activity until after its answer. */
async function newLink(control = true): Promise<LiveClient> {
  const { live } = plane.app.services
  return open((await live.createLink(tenant.caller, phoneId, { expiresIn: 600, control })).url)
}
async function open(url: string): Promise<LiveClient> {
  const { origin } = new URL(plane.config.http.baseUrl)
  const client = openLive(plane.server, origin, new URL(url).hash.slice(1))
  await client.opened()
  return client
}

let pings = 0
const timers = new Map<LiveClient, NodeJS.Timeout>()
/** Makes the page visible or hidden. Resolves once the server has handled the first ping. */
async function show(client: LiveClient, visible: boolean): Promise<void> {
  hide(client)
  const ping = (): number => {
    client.send({ type: 'ping', id: (pings += 1), visible })
    return pings
  }
  const first = ping()
  if (visible) timers.set(client, setInterval(ping, 100))
  await eventually(() => client.messages.some((each) => each.type === 'pong' && each.id === first))
}
/** Suspends the page. */
function hide(client: LiveClient): void {
  clearInterval(timers.get(client))
  timers.delete(client)
}

describe('input', () => {
  it('does not reach the phone after its visible page was silent for 5 s: the view is closed', async () => {
    const client = await newLink()
    await show(client, true)
    client.send({ type: 'text', text: 'in time' })
    await eventually(() => typed.includes('in time'))
    hide(client)
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 5001)
    client.send({ type: 'text', text: 'late' })
    client.send({ type: 'ping', id: 0, visible: true })
    client.send({ type: 'text', text: 'later' })
    expect(await client.closed()).toMatchObject(closings.late)
    expect(typed).toEqual(['in time'])
  })

  it('is accepted from a page that was hidden and silent, since browsers slow it down', async () => {
    const client = await newLink()
    await show(client, false)
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 100_000)
    await show(client, true)
    client.close()
  })
})

/** Sets and returns the time of the phone's last activity, which the views then read. */
async function setActivity(secondsAgo: number): Promise<number> {
  const { clock, db, changes } = plane.app.core
  const lastActiveAt = new Date(clock.now().getTime() - secondsAgo * 1000)
  await db.phone.update({ where: { id: phoneId }, data: { lastActiveAt } })
  changes.publish(phoneId)
  return lastActiveAt.getTime()
}
const activity = async (): Promise<number> => {
  const { lastActiveAt } = await plane.app.core.db.phone.findUniqueOrThrow({ where: { id: phoneId } })
  return lastActiveAt?.getTime() ?? 0
}
const lastEnd = ({ messages }: LiveClient): ViewEnd | undefined =>
  messages.flatMap((each) => (each.type === 'open' ? [each.end] : each.type === 'end' ? [each] : [])).at(-1)

describe('a phone', () => {
  it('is kept awake by a visible page that holds a take-over, and not by a hidden page', async () => {
    const asked = { message: 'Please sign in.', expiresIn: 7200 }
    const client = await open((await plane.app.services.handoffs.create(tenant.caller, phoneId, asked)).url)
    const before = await setActivity(100)
    await eventually(() => lastEnd(client)?.at === before + 300_000)
    expect(lastEnd(client)?.reason).toBe('idle')
    // The decision counts as activity too.
    const touches = vi.spyOn(plane.app.services.phones, 'touch')
    client.send({ type: 'take' })
    await eventually(() => client.messages.some((each) => each.type === 'handoff' && each.isTaken))
    expect(touches).toHaveBeenCalled()
    await Promise.allSettled(touches.mock.results.map(({ value }) => value as Promise<void>))
    const taken = await setActivity(100)
    await show(client, false)
    expect(await activity()).toBe(taken)
    await show(client, true)
    await eventually(async () => (await activity()) > taken)
    // The idle time no longer ends the view, so the session does.
    await eventually(() => lastEnd(client)?.reason === 'session')
    client.send({ type: 'give_back', outcome: 'done', note: '' })
    await client.closed()
  })

  it('gives a page that alternates between visible and hidden no more answers than it may send messages', async () => {
    const asked = { message: 'Please sign in.', expiresIn: 7200 }
    const client = await open((await plane.app.services.handoffs.create(tenant.caller, phoneId, asked)).url)
    client.send({ type: 'take' })
    await show(client, true)
    await eventually(() => lastEnd(client)?.reason === 'session')
    hide(client)
    await setActivity(100)
    const before = client.messages.length
    // The messages' allowance is not refilled during the test.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    for (let id = 0; id < 3000; id += 1) client.send({ type: 'ping', id, visible: id % 2 === 0 })
    client.send({ type: 'give_back', outcome: 'done', note: '' })
    await client.closed()
    const ends = client.messages.slice(before).filter(({ type }) => type === 'end')
    expect(ends.length).toBeGreaterThan(100)
    // The page gets answers to a burst of 1,200 messages, and the end that the changed activity caused.
    expect(ends.length).toBeLessThanOrEqual(1201)
  })

  it('is not kept awake by a link with control, unless its page asks for it', async () => {
    const client = await newLink()
    const before = await setActivity(250)
    await show(client, true)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await activity()).toBe(before)
    client.send({ type: 'keep_awake' })
    await eventually(async () => (await activity()) > before + 200_000)
    // The page gets the new end.
    await eventually(() => (lastEnd(client)?.at ?? 0) > before + 500_000)
    client.close()
  })

  it('is not kept awake by a page that may only watch', async () => {
    const client = await newLink(false)
    const before = await setActivity(200)
    client.send({ type: 'keep_awake' })
    await show(client, true)
    expect(await activity()).toBe(before)
    client.close()
  })

  it('is kept awake by the console of the member who took it over, and not by the console of another member', async () => {
    const at = `/projects/${tenant.projectId}/phones/${phoneId}`
    const member = await consoleUser(plane, { role: 'member', projectId: tenant.projectId })
    const other = await consoleUser(plane, { role: 'member', projectId: tenant.projectId })
    const openAs = async (client: ConsoleClient) =>
      open((await client.ask('POST', `${at}/live`, { body: {} })).body['url'] as string)
    const own = await openAs(member.client)
    const foreign = await openAs(other.client)
    // A request would count as activity until after its answer.
    const { handoffs } = plane.app.services
    const { id: signIn } = await plane.app.core.db.userSession.findFirstOrThrow({
      where: { userId: member.userId },
    })
    const { id } = await handoffs.takeOver(tenant.caller, phoneId, signIn)
    const before = await setActivity(200)
    await show(foreign, true)
    expect(await activity()).toBe(before)
    await show(own, true)
    await eventually(async () => (await activity()) > before + 150_000)
    await eventually(() => lastEnd(own)?.reason !== 'idle')
    expect(lastEnd(foreign)?.reason).toBe('idle')
    await handoffs.giveBack(tenant.caller, phoneId, id, null)
    await eventually(() => lastEnd(own)?.reason === 'idle')
    own.close()
    foreign.close()
  })
})
