/**
 * Traces of a request through both programs, sent to a receiver of OTLP that works, and to a receiver that
 * hangs.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { actionBatchResultSchema } from '@phonerack/shared'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { startReceiver, type ReceivedSpan, type Receiver } from '../system/otlp.js'
import { rentOfKind } from '../system/chosen.js'
import { eventually, newTenant } from '../system/tenant.js'

const limitMs = 60_000
const foreignTrace = '0af7651916cd43dd8448eb211c80319c'

let receiver: Receiver
const system = inject('system')
beforeAll(async () => {
  receiver = await startReceiver(inject('standIns').traces)
})
afterAll(() => receiver.close())

/** The names from a span to the root of its trace. */
function pathOf(span: ReceivedSpan | undefined): string[] {
  if (!span) return []
  const parent = receiver.spans.find(({ spanId }) => spanId === span.parentId)
  return [`${span.service.replace('phonerack-', '')}: ${span.name}`, ...pathOf(parent)]
}

const logLines = async (program: string): Promise<Record<string, unknown>[]> =>
  (await readFile(path.join(system.dir, 'logs', `${program}.log`), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

it('traces a batch from HTTP to ADB, and answers while the receiver hangs', async () => {
  const { agent, admin } = await newTenant(system)
  // The phone's taps are commands of `adb shell`.
  const phone = await rentOfKind(system, admin, 'bare')
  const typed = 'Grüße aus Köln'
  const answer = await agent.request('POST', `/v1/phones/${phone.id}/actions`, {
    headers: { traceparent: `00-${foreignTrace}-b7ad6b7169203331-00`, tracestate: 'tenant=hunter2' },
    body: {
      actions: [
        { type: 'tap', target: { x: 540, y: 1200 } },
        { type: 'type', text: typed },
      ],
    },
  })
  expect(actionBatchResultSchema.parse(answer.body).results[0]).toMatchObject({ ok: true })
  const requestId = answer.headers.get('x-request-id') ?? ''

  const route = 'POST /v1/phones/:id/actions'
  const ofPhone = ({ attributes }: ReceivedSpan) => attributes['phonerack.phone.id'] === phone.id
  const root = () => receiver.spans.find((span) => span.name === route && ofPhone(span))
  const tap = () =>
    receiver.spans.find(
      (span) =>
        span.traceId === root()?.traceId &&
        span.name === 'adb shell' &&
        pathOf(span).includes('agent: action tap'),
    )
  await eventually('the spans to arrive', limitMs, () => Promise.resolve(Boolean(root() && tap())))
  expect(pathOf(tap())).toEqual([
    ...['agent: adb shell', 'agent: input', 'agent: action tap', 'agent: RunActions'],
    ...['control-plane: HostService/RunActions', `control-plane: ${route}`],
  ])
  // The client neither decides whether its request is sampled nor adds spans to a trace.
  expect(root()).toMatchObject({
    parentId: '',
    links: [foreignTrace],
    kind: 2,
    attributes: {
      'http.response.status_code': '200',
      'phonerack.request.id': requestId,
      'phonerack.phone.id': phone.id,
    },
  })
  // The job that started the phone has a separate trace.
  const start = receiver.spans.find((span) => span.name === 'job phone.start' && ofPhone(span))
  expect(start).toMatchObject({ parentId: '', attributes: { 'phonerack.phone.id': phone.id } })
  expect(
    receiver.spans.some(({ name, traceId }) => name === 'StartPhone' && traceId === start?.traceId),
  ).toBe(true)
  for (const body of receiver.bodies)
    for (const secret of [typed, 'hunter2', agent.key]) expect(body.includes(secret), secret).toBe(false)

  const answered = (await logLines('control-plane')).find(
    (line) => line['msg'] === 'answered' && line['request_id'] === requestId,
  )
  const host = expect.stringMatching(/^hst_/) as unknown
  expect(answered).toMatchObject({ phone: phone.id, host, trace_id: root()?.traceId })

  receiver.hang()
  const look = () => agent.get(`/v1/phones/${phone.id}/observe`)
  await look()
  await eventually('an export to wait', limitMs, () => Promise.resolve(receiver.waiting > 0))
  for (let count = 0; count < 5; count += 1) expect((await look()).status).toBe(200)
  expect(receiver.waiting).toBeGreaterThan(0)
  await admin.delete(`/v1/phones/${phone.id}`)
})
