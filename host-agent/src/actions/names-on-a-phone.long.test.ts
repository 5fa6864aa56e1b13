/** Names of apps and elements on a virtual phone: labels come from the launcher, and `New note` is a description. */
import type { ActionResult } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { resultsOf, session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../testing/phone.js'

let both: PhoneAndHost
let phone: ReturnType<typeof session>
beforeAll(async () => {
  both = await startPhoneAndHost()
  await untilLink(both.host, both.phone.serial, 'unenrolled', 60_000)
  await both.host.control.enroll({ serial: both.phone.serial, fencingNumber: 1n }, 120_000)
  phone = session(both.host.control, both.phone.serial, 2n)
  await phone.start()
})
afterAll(() => both.stop())

it('opens an app by its label, and taps an element by its description as a text', async () => {
  const results = resultsOf(
    await phone.run([
      { type: 'open_app', label: 'notes' },
      { type: 'wait_for', target: { text: 'New note' } },
      { type: 'tap', target: { text: 'new NOTE' } },
      { type: 'wait_for', target: { id: '#title' } },
    ]),
  )
  expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true])
  expect((await phone.observe()).app.package).toBe('com.phonerack.notes')
})

it('names the similar app for an unknown package, or says that no app has the label', async () => {
  const errorOf = async (app: object) => {
    const messages = await phone.run([{ type: 'open_app', ...app }])
    const last = messages.at(-1)?.event
    if (last?.$case !== 'ended') throw new Error('the batch did not end')
    const [result] = JSON.parse(Buffer.from(last.value.resultsJson).toString()) as ActionResult[]
    return result?.error
  }
  const missing = await errorOf({ package: 'com.example.notes' })
  expect([missing?.code, missing?.details]).toEqual([
    'app_not_found',
    { package: 'com.example.notes', similar: [{ package: 'com.phonerack.notes', label: 'Notes' }] },
  ])
  expect((await errorOf({ label: 'no such app' }))?.details).toEqual({ label: 'no such app' })
})
