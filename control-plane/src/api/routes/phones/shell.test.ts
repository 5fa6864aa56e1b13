/** Shell commands: fields, limits at their edges, refusals, unknown outcomes, and what steps and activity keep. */
import { ApiError } from '@phonerack/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { completeBatch } from '../../../testing/agent-double/screen.js'
import {
  errorOf,
  expectConventions,
  refusalOf,
  sendJson,
  startApi,
  type TestApi,
} from '../../../testing/api.js'

let api: TestApi
let phone: string
beforeAll(async () => {
  api = await startApi({ devices: 1 })
  phone = await api.readyPhone()
})
afterAll(() => api.close())
beforeEach(() => {
  api.agent.onBatch = completeBatch
})

const path = () => `/v1/phones/${phone}/shell`
const post = (body: object) => sendJson(api, 'POST', path(), body)
const refused = (body: unknown) => refusalOf(api, 'POST', path(), body)
const setProject = (data: object) =>
  api.plane.app.core.db.project.update({ where: { id: api.tenant.projectId }, data })

/** The actions that the host received. */
function batches(): Record<string, unknown>[][] {
  const found: Record<string, unknown>[][] = []
  api.agent.onBatch = (request, send) => {
    found.push(JSON.parse(request.actionsJson.toString()) as Record<string, unknown>[])
    return completeBatch(request, send)
  }
  return found
}

describe('POST /v1/phones/{id}/shell', () => {
  it('answers the output of the command, which the host gets once [44.1]', async () => {
    const received = batches()
    const response = await post({ command: 'cat', stdin: 'a\n', timeout: 2.5 })
    expectConventions(response)
    expect(response.json()).toEqual({
      stdout: 'uid=2000(shell)\n',
      stderr: '',
      exit_code: 0,
      timed_out: false,
      truncated: false,
      duration_ms: 1,
    })
    expect(received).toEqual([[{ type: 'shell', command: 'cat', stdin: 'a\n', timeout_ms: 2500 }]])
  })

  it('answers the longest output', async () => {
    const output = { stdout: '\u0001'.repeat(490_000), stderr: '' }
    const result = { index: 0, type: 'shell', ok: true, ms: 1, ...output }
    const whole = { ...result, exit_code: 0, timed_out: false, truncated: true, duration_ms: 1 }
    api.agent.onBatch = (_, send) => {
      send({ $case: 'started', value: { index: 0 } })
      send({ $case: 'finished', value: { index: 0, resultJson: Buffer.from(JSON.stringify(whole)) } })
      const resultsJson = Buffer.from(JSON.stringify([whole]))
      send({ $case: 'ended', value: { observationJson: Buffer.alloc(0), resultsJson } })
      return Promise.resolve()
    }
    expect((await post({ command: 'cat' })).json()).toMatchObject(output)
  })

  it('accepts 1 to 10,000 characters, and timeouts of 1 to 60 seconds [44.2]', async () => {
    for (const body of [{ command: 'a' }, { command: '😀'.repeat(10_000) }, { command: 'a', timeout: 60 }])
      expect((await post(body)).statusCode).toBe(200)
    for (const body of [
      {},
      { command: '' },
      { command: 'a'.repeat(10_001) },
      { command: 'a\0b' },
      { command: 'a', timeout: 0 },
      { command: 'a', timeout: 61 },
      { command: 'a', stdin: 1 },
      { command: 'a', cwd: '/' },
    ])
      await refused(body)
    errorOf(await post({ command: 'a', stdin: 'a'.repeat(100_000) }), 413, 'payload_too_large')
  })

  it('returns 502 when the connection is lost after the command began, and when nothing is known [44.6]', async () => {
    api.agent.onBatch = (_, send) => {
      send({ $case: 'started', value: { index: 0 } })
      return Promise.reject(new Error('the agent ended'))
    }
    const lost = errorOf(await post({ command: 'id' }), 502, 'action_outcome_unknown')
    expect(lost.retryable).toBe(false)
    api.agent.onBatch = () => Promise.reject(new Error('the agent ended'))
    errorOf(await post({ command: 'id' }), 502, 'action_outcome_unknown')
  })

  it('passes the refusals of the host on [23.75, 44.7]', async () => {
    api.agent.onBatch = () =>
      Promise.reject(new ApiError('shell_not_allowed', { details: { kind: 'handset' } }))
    expect(errorOf(await post({ command: 'id' }), 403, 'shell_not_allowed').details).toMatchObject({
      kind: 'handset',
    })
    api.agent.onBatch = () => Promise.reject(new ApiError('validation_failed'))
    errorOf(await post({ command: 'id' }), 422, 'feature_unavailable')
  })
})

describe('a request without the right to a shell', () => {
  const action = { actions: [{ type: 'shell', command: 'id' }] }
  const narrowed = (url: string, payload: object, profile: string) =>
    api.request('POST', url, { payload, headers: { 'phonerack-profile': profile } })

  it('returns 403 with the profile guarded, alone and in a batch, and runs nothing [44.8]', async () => {
    const received = batches()
    errorOf(await narrowed(path(), { command: 'id' }, 'guarded'), 403, 'shell_not_allowed')
    errorOf(await narrowed(`/v1/phones/${phone}/actions`, action, 'guarded'), 403, 'shell_not_allowed')
    errorOf(await narrowed(path(), { command: 'id' }, 'read-only'), 403, 'insufficient_scope')
    expect(received).toEqual([])
  })

  it('returns 403 in a project whose operator switched it off [44.9]', async () => {
    await setProject({ shellEnabled: false })
    const received = batches()
    // A key is cached for a second.
    await expect.poll(async () => (await post({ command: 'id' })).statusCode, { timeout: 5000 }).toBe(403)
    received.length = 0
    errorOf(await post({ command: 'id' }), 403, 'shell_not_allowed')
    errorOf(await sendJson(api, 'POST', `/v1/phones/${phone}/actions`, action), 403, 'shell_not_allowed')
    expect(received).toEqual([])
    await setProject({ shellEnabled: true })
    await expect.poll(async () => (await post({ command: 'id' })).statusCode, { timeout: 5000 }).toBe(200)
  })
})

describe('the record of a command', () => {
  const lastStep = async () => {
    const { data } = (await api.request('GET', `/v1/phones/${phone}/steps?limit=1`)).json<{
      data: { actions: object[]; results: object[]; status: string }[]
    }>()
    return data[0]
  }
  const body = { command: 'echo secret-4711', stdin: 'secret-4712' }

  it('in steps: neither command, input nor output [44.10]', async () => {
    await post(body)
    await expect.poll(async () => (await lastStep())?.status).toBe('succeeded')
    const step = await lastStep()
    expect(step?.actions).toMatchObject([{ type: 'shell', command: '[redacted]', stdin: '[redacted]' }])
    expect(step?.results).toMatchObject([{ stdout: '[redacted]', stderr: '', exit_code: 0 }])
    expect(JSON.stringify(step)).not.toContain('secret')
  })

  it('in steps of a project that keeps typed text: all of it', async () => {
    await setProject({ stepsText: true })
    await expect
      .poll(
        async () => {
          await post(body)
          return (await lastStep())?.actions
        },
        { timeout: 5000 },
      )
      .toMatchObject([body])
    expect((await lastStep())?.results).toMatchObject([{ stdout: 'uid=2000(shell)\n' }])
    await setProject({ stepsText: false })
  })

  it.each([
    ['/system/bin/ls -la /sdcard', '/system/bin/ls'],
    ['id;ls', 'id'],
    ['TOKEN=secret curl', '[redacted]'],
    ['"secret word"', '[redacted]'],
  ])('shows %j in the activity as %j [44.11]', async (command, word) => {
    await post({ command })
    await expect
      .poll(async () => {
        const rows = await api.plane.app.core.db.activity.findMany({ orderBy: { at: 'desc' }, take: 5 })
        return rows.map(({ summary }) => (summary as { command?: string } | null)?.command)
      })
      .toContain(word)
  })
})
