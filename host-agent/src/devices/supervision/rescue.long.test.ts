/** A phone whose calls hang, with the whole agent: the steps run in order, and the status shows them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../../testing/phone.js'
import { until } from '../../testing/until.js'

let both: PhoneAndHost
beforeAll(async () => {
  both = await startPhoneAndHost()
  await untilLink(both.host, both.phone.serial, 'unenrolled')
  await both.host.control.enroll({ serial: both.phone.serial, fencingNumber: 1n }, 60_000)
  await session(both.host.control, both.phone.serial, 2n).start()
})
afterAll(() => both.stop())

const status = () => both.host.agent.registry.statuses()[0]
const steps = () => status()?.events?.map(({ step, outcome }) => `${step} ${outcome}`) ?? []

describe('a hanging phone', () => {
  it(
    'is taken out of service by the agent after all steps, and the status shows the steps',
    { timeout: 90_000 },
    async () => {
      const { faults } = both.phone.inside
      const restarts = both.phone.inside.counters().reboots
      faults.hangEvery(1, 'shell')
      await until(() => steps().includes('quarantine done'))
      expect(steps()).toEqual(['reconnect done', 'port_reset skipped', 'reboot done', 'quarantine done'])
      expect(both.phone.inside.counters().reboots).toBe(restarts + 1)
      expect(status()).toMatchObject({
        link: 'offline',
        reason: expect.stringContaining('not used after') as string,
      })
      expect(status()?.events?.[1]?.reason).toContain('over the network')
    },
  )
})
