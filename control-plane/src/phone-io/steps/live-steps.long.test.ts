/** Touches in a live view as steps, over a real socket. The agent is a double. */
import { newId } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { openLive, type LiveClient } from '../../testing/live-client.js'
import { changeProject } from '../../testing/operator.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { createLiveSteps, type LiveEnds } from './live-steps.js'
import { createPictures } from './pictures.js'
import { createStepRecorder } from './recorder.js'
import { type StepJson } from './types.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let phoneId: string
let origin: string
beforeAll(async () => {
  plane = await world.start()
  await plane.server.listen({ host: '127.0.0.1', port: 0 })
  origin = new URL(plane.config.http.baseUrl).origin
  const agent = await plane.rack(1, { beatMs: 200 })
  agent.onWatch = (call) => {
    call.resume()
    call.on('error', () => undefined)
  }
  tenant = await plane.tenant()
  phoneId = await readyPhone(plane, tenant)
})

const ask = (method: 'GET' | 'POST', path: string) =>
  plane.server.inject({
    method,
    url: `/v1/phones/${phoneId}${path}`,
    headers: { authorization: `Bearer ${tenant.key}` },
  })
const steps = async () => (await ask('GET', '/steps')).json<{ data: StepJson[] }>().data

async function touch(): Promise<LiveClient> {
  const { url } = (await ask('POST', '/live')).json<{ url: string }>()
  const live = openLive(plane.server, origin, new URL(url).hash.slice(1))
  await live.opened()
  const at = { pointer: 0, x: 0.5, y: 0.25 }
  live.send({ type: 'touch', phase: 'down', ...at })
  live.send({ type: 'touch', phase: 'up', ...at })
  live.send({ type: 'text', text: 'a password' })
  return live
}

it('touches of a person become a step without results [43.30]', async () => {
  const seen = (await ask('GET', '/observe')).json<{ snapshot_id: string }>()
  const live = await touch()
  await eventually(async () => (await steps()).length === 1)
  const [step] = await steps()
  expect(step).toMatchObject({
    status: 'stopped',
    // The step does not have the name of an agent's key.
    by: { via: 'live', client: null, key_name: null },
    observe: null,
    results: [],
    text_kept: false,
    before: { snapshot_id: seen.snapshot_id },
    after: null,
  })
  expect(step?.actions).toEqual([{ type: 'tap' }, { type: 'type', text: '[redacted]' }])
  expect(step?.by.key_id).toBe(tenant.caller.keyId)
  live.close()
})

it('keep their points where the project keeps typed text', async () => {
  await changeProject(plane.app.core, tenant.projectId, { steps_text: true })
  const live = await touch()
  await eventually(async () => (await steps()).length === 2)
  expect((await steps())[0]?.actions).toMatchObject([
    { type: 'tap', fraction: [0.5, 0.25], target: { x: 5, y: 5 } },
    { type: 'type', text: 'a password' },
  ])
  await changeProject(plane.app.core, tenant.projectId, { steps_text: false })
  live.close()
})

describe('a step of a live view', () => {
  const started = (ends: Partial<LiveEnds>) => {
    const { core, uploads } = plane.app
    const recorder = createStepRecorder(core, createPictures(core, uploads.store))
    const never = { idleMs: 3600_000, longestMs: 3600_000, characters: 10_000 }
    const live = createLiveSteps(core, recorder, { ...never, ...ends })
    const link = { projectId: tenant.projectId, phoneId, keyId: tenant.caller.keyId }
    return {
      recorder,
      link,
      type: (text: string) => live.input(link, { type: 'text', text }),
      async close() {
        await live.close()
        await recorder.close()
      },
    }
  }

  it('has its text masked in batches that end before it', async () => {
    const live = started({})
    live.type('swordfish')
    const step = live.recorder.begin({
      ...live.link,
      requestId: newId('request'),
      via: 'api',
      client: null,
      observe: 'none',
      settings: { text: false, pictures: 'asked' },
      actions: [{ type: 'tap', target: { text: 'swordfish' } }],
    })
    await step.answered(() => ({
      json: new Uint8Array(),
      results: [],
      completed: 0,
      observation: null,
      picture: null,
    }))
    await live.recorder.settled(live.link.phoneId)
    expect(await steps()).toContainEqual(
      expect.objectContaining({ actions: [{ type: 'tap', target: { text: '[redacted]' } }] }),
    )
    await live.close()
  })

  it('ends although input never pauses', async () => {
    const before = (await steps()).length
    const live = started({ idleMs: 1000, longestMs: 500 })
    const typing = setInterval(() => live.type('a'), 20)
    await eventually(async () => (await steps()).length > before + 1)
    clearInterval(typing)
    await live.close()
  })

  it('ends when its text is long, before a pause', async () => {
    const before = (await steps()).length
    const live = started({ characters: 10_000 })
    for (let each = 0; each < 4; each += 1) live.type('a'.repeat(5000))
    await eventually(async () => (await steps()).length === before + 2)
    await live.close()
  })
})
