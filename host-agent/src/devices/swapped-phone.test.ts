/** The whole agent, with a phone that another phone replaces during an operation on the same TCP port. */
import { Progress } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DeviceGone } from '../base/device-gone.js'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../testing/phone.js'

let both: PhoneAndHost
beforeAll(async () => {
  both = await startPhoneAndHost()
  await untilLink(both.host, both.phone.serial, 'unenrolled')
  await both.host.control.enroll({ serial: both.phone.serial, fencingNumber: 1n }, 60_000)
})
afterAll(() => both.stop())

it('sends no further step of an operation to the new phone', { timeout: 120_000 }, async () => {
  const { host, phone } = both
  const { assignment, start } = session(host.control, phone.serial, 2n)
  await start()
  let outcome: unknown = 'not asked'
  let opened: string[] = []
  const work = host.agent.registry
    .gate(phone.serial)
    .read(assignment, Progress.for(60_000), async (device) => {
      if (outcome !== 'not asked') return
      await phone.swap()
      // The agent has registered the other phone, and calls reach it.
      await untilLink(host, phone.serial, 'unenrolled')
      const before = phone.proxy.opened.length
      outcome = await device.files?.list('/sdcard', Progress.for(20_000)).catch((error: unknown) => error)
      opened = phone.proxy.opened.slice(before)
    })
  await Promise.allSettled([work])
  expect(outcome).toBeInstanceOf(DeviceGone)
  expect(opened.filter((service) => /realpath|sync:/.test(service))).toEqual([])
})
