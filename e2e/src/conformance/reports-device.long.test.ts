/** Reports of a phone through `/v1`, on phones that offer the fast way and on a phone that does not. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { errorOf } from '../system/api.js'
import { eventually } from '../system/tenant.js'
import { act, rent, run, type Rented } from './rented.js'

const trouble = 'com.phonerack.trouble'
const messages = 'com.phonerack.messages'
const camera = 'android.permission.CAMERA'

const logPage = z.strictObject({
  data: z.array(
    z.strictObject({
      at: z.iso.datetime().nullable(),
      level: z.string(),
      tag: z.string(),
      pid: z.int(),
      package: z.string().nullable(),
      message: z.string(),
    }),
  ),
  next_cursor: z.string().nullable(),
})
const crashPage = z.object({
  data: z.array(z.object({ kind: z.string(), package: z.string(), stack: z.string() })),
})
const noticeList = z.strictObject({
  data: z.array(
    z.strictObject({
      id: z.string().regex(/^ntf_[a-z2-7]{12}$/),
      package: z.string(),
      title: z.string(),
      text: z.string(),
      posted_at: z.iso.datetime().nullable(),
      dismissible: z.boolean(),
    }),
  ),
})
const eventPage = z.object({
  data: z.array(
    z.object({ type: z.string(), data: z.record(z.string(), z.record(z.string(), z.unknown())) }),
  ),
})

describe.each([
  { name: 'with the fast way', systemOf: () => inject('system') },
  { name: 'without it', systemOf: () => inject('bare') },
])('a phone $name', ({ systemOf }) => {
  let phone: Rented
  beforeAll(async () => {
    phone = await rent(systemOf())
  }, 100_000)
  afterAll(() => phone.api.delete(phone.path))

  const get = async <T>(schema: z.ZodType<T>, path: string): Promise<T> => {
    const answer = await phone.tenant.readOnly.get(`${phone.path}${path}`)
    expect([answer.status, path]).toEqual([200, path])
    return schema.parse(answer.body)
  }
  const notices = async () => (await get(noticeList, '/notifications')).data
  const eventsOf = async (type: string) => {
    const answer = await phone.api.get(`/v1/events?phone=${phone.id}&type=${type}`)
    return eventPage.parse(answer.body).data
  }

  it('reports a crash by an event, with its stack, and in the log of its app [42.37]', async () => {
    await act(phone, { type: 'open_app', package: trouble })
    await run(phone, [{ type: 'tap', target: { text: 'Crash' } }])
    await eventually('the event', 60_000, async () => (await eventsOf('app.crashed')).length === 1)
    const [event] = await eventsOf('app.crashed')
    expect(event?.data['crash']).toMatchObject({ kind: 'crash', package: trouble })
    const { data } = await get(crashPage, `/crashes?package=${trouble}`)
    expect(data[0]).toMatchObject({ kind: 'crash', package: trouble })
    expect(data[0]?.stack).toContain('\tat ')
    const log = await get(logPage, `/logs?package=${trouble}&level=error`)
    expect(log.data[0]).toMatchObject({ level: 'error', tag: 'AndroidRuntime', package: trouble })
    expect(log.data[0]?.message).toContain('FATAL EXCEPTION: main\n')
    const first = await get(logPage, '/logs?limit=1')
    const second = await get(logPage, `/logs?limit=1&cursor=${encodeURIComponent(first.next_cursor ?? '')}`)
    expect(second.data[0]).not.toEqual(first.data[0])
  })

  it('reports a hang by an event, with stacks [42.38]', async () => {
    await run(phone, [{ type: 'tap', target: { text: 'Close app' } }])
    await act(phone, { type: 'open_app', package: trouble })
    await run(phone, [{ type: 'tap', target: { text: 'Stop responding' } }])
    await eventually('the event', 60_000, async () => (await eventsOf('app.crashed')).length === 2)
    const { data } = await get(crashPage, '/crashes')
    expect(data.map(({ kind }) => kind)).toEqual(['anr', 'crash'])
    await run(phone, [{ type: 'tap', target: { text: 'Close app' } }])
  })

  it('reports a notification by an event, and opens and dismisses it [42.40]', async () => {
    const ask = (text: string) => [
      { type: 'open_app', package: messages },
      { type: 'tap', target: { text: 'Echo' } },
      { type: 'type', text, target: { id: 'compose_message_text' } },
      { type: 'tap', target: { id: 'send_message_button' } },
      { type: 'home' },
    ]
    await act(phone, ...ask('Notify: tea is ready'))
    await eventually('the event', 60_000, async () => (await eventsOf('notification.posted')).length === 1)
    const [notice] = await notices()
    expect(notice).toMatchObject({ package: messages, title: 'Echo', text: 'tea is ready' })
    const [event] = await eventsOf('notification.posted')
    expect(event?.data['notification']).toMatchObject({ id: notice?.id, package: messages })
    const at = `${phone.path}/notifications/${notice?.id ?? ''}`
    expect((await phone.tenant.readOnly.post(`${at}/open`)).status).toBe(403)
    expect(await phone.api.post(`${at}/open`)).toMatchObject({ status: 200, body: { opened: true } })
    expect(await notices()).toEqual([])
    const gone = await phone.api.post(`${at}/dismiss`)
    expect([gone.status, errorOf(gone).code]).toEqual([404, 'notification_not_found'])

    await act(phone, { type: 'home' })
    await act(
      phone,
      { type: 'open_app', package: trouble },
      { type: 'scroll_to', target: { text: 'Post a notification' } },
    )
    await act(phone, { type: 'tap', target: { text: 'Post a notification' } })
    const [other] = await notices()
    const dismissed = await phone.api.post(`${phone.path}/notifications/${other?.id ?? ''}/dismiss`)
    expect(dismissed).toMatchObject({ status: 200, body: { id: other?.id, dismissed: true } })
    expect(await notices()).toEqual([])
  })

  it('grants and revokes a permission without its dialog [42.33]', async () => {
    const path = `${phone.path}/apps/${trouble}/permissions`
    const answer = await phone.api.post(path, { grant: [camera] })
    expect(answer).toMatchObject({
      status: 200,
      body: { package: trouble, permissions: [{ name: camera, granted: true }] },
    })
    const screen = await act(
      phone,
      { type: 'open_app', package: trouble },
      { type: 'scroll_to', target: { text: 'Allowed' } },
    )
    expect(screen.text).toContain('Allowed')
    const wrong = await phone.api.post(path, { grant: ['android.permission.READ_SMS'] })
    expect([wrong.status, errorOf(wrong).code]).toEqual([400, 'validation_failed'])
    expect(await phone.api.post(path, { revoke: [camera] })).toMatchObject({
      body: { permissions: [{ name: camera, granted: false }] },
    })
  })
})
