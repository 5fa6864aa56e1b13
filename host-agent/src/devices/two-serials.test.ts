/**
 * One phone under two adb serials: no tenant reaches another's data. Over adb, on a virtual phone.
 */
import { expect, it } from 'vitest'
import { untilLink } from '../testing/phone.js'
import {
  enroll,
  failureOf,
  filesOf,
  host,
  mustEnroll,
  net,
  of,
  phone,
  plug,
  removeMarks,
  statusOf,
  trace,
  unplug,
  untilReason,
  usb,
  withTwoSerials,
} from '../testing/two-serials.js'

withTwoSerials()

it('refuses to enroll the second serial of a connected phone, erases nothing and states the reason', async () => {
  await untilLink(host, usb, 'unenrolled')
  await untilLink(host, net, 'unenrolled')
  await mustEnroll(usb)
  await of('ph_a', usb, 2n).start()
  await trace('ph_a', usb, 2n)
  await untilReason(net, new RegExp(`the same phone is connected and enrolled as ${usb}`))
  const { wipes } = phone.counters()
  const answer = await enroll(net)
  expect(answer.verified).toBe(false)
  expect(answer.checks).toEqual([expect.objectContaining({ name: 'same_phone', passed: false })])
  expect(answer.checks[0]?.evidence).toContain(usb)
  expect(phone.counters().wipes).toBe(wipes)
  expect(await failureOf(of('ph_b', net, 2n).start())).toMatchObject({ code: 'phone_unavailable' })
  expect(await filesOf('ph_a', usb, 2n)).toContain('trace.txt')
})

it('lets only the most recently enrolled serial reach the phone, and no serial while a tenant holds it', async () => {
  await untilLink(host, usb, 'unenrolled')
  await mustEnroll(usb)
  // The clean record of the first serial stays while the phone connects under the second serial.
  await unplug(usb)
  await untilLink(host, net, 'unenrolled')
  await mustEnroll(net)
  await of('ph_b', net, 2n).start()
  await trace('ph_b', net, 2n)
  await unplug(net)

  expect(statusOf(usb)?.custody).toMatchObject({ clean_for: 'anyone' })
  plug(usb)
  await untilReason(usb, /has since been enrolled or wiped under another serial/)
  expect(statusOf(usb)).toMatchObject({ link: 'unenrolled', custody: { dirty: true, clean_for: '' } })
  expect(await failureOf(of('ph_a', usb, 3n).start())).toMatchObject({ code: 'phone_unavailable' })
  expect(await failureOf(of('', usb, 3n).wipe())).toMatchObject({
    message: expect.stringContaining('has since been enrolled or wiped under another serial') as unknown,
  })

  // Both serials are connected.
  plug(net)
  await untilLink(host, net, 'healthy')
  expect(await filesOf('ph_b', net, 2n)).toContain('trace.txt')
  expect(statusOf(usb)?.link).toBe('unenrolled')
})

it('reaches a phone without its mark only to wipe it', async () => {
  await untilLink(host, usb, 'unenrolled')
  await mustEnroll(usb)
  await of('ph_a', usb, 2n).start()
  await removeMarks()
  expect(await failureOf(of('ph_a', usb, 3n).start())).toMatchObject({ code: 'phone_unavailable' })
  await untilReason(usb, /lost this host's mark/)
  expect(statusOf(usb)?.custody).toMatchObject({ dirty: true, clean_for: '' })
  expect(await of('', usb, 4n).wipe()).toMatchObject({ verified: true, cleanFor: 'anyone' })
  await of('ph_b', usb, 5n).start()
})
