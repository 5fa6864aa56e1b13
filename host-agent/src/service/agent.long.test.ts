/** The whole agent on a virtual phone whose connection freezes: the agent notices by its own probe. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { resultsOf, session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../testing/phone.js'
import { until } from '../testing/until.js'

let both: PhoneAndHost
beforeAll(async () => {
  both = await startPhoneAndHost({ without: ['ui-server'] })
  await untilLink(both.host, both.phone.serial, 'unenrolled')
  await both.host.control.enroll({ serial: both.phone.serial, fencingNumber: 1n }, 60_000)
  await session(both.host.control, both.phone.serial, 2n).start()
})
afterAll(() => both.stop())

it('recovers after its connection stopped answering', async () => {
  both.phone.proxy.freeze()
  // The phone is offline only for a moment.
  await until(() => both.host.agent.registry.statuses()[0]?.events !== undefined)
  await untilLink(both.host, both.phone.serial, 'healthy', 100_000)
  const steps = both.host.agent.registry.statuses()[0]?.events?.map(({ step, outcome }) => [step, outcome])
  expect(steps).toEqual([['reconnect', 'done']])
  expect(
    resultsOf(await session(both.host.control, both.phone.serial, 2n).run([{ type: 'home' }])),
  ).toMatchObject([{ ok: true }])
})
