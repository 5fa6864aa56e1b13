/**
 * One phone under two adb serials, with restarts and with records of earlier releases: no tenant reaches another's data. Over
 * adb, on a virtual phone.
 */
import { expect, it } from 'vitest'
import { untilLink } from '../testing/phone.js'
import {
  failureOf,
  filesOf,
  fromBefore,
  host,
  marks,
  mustEnroll,
  net,
  of,
  plug,
  removeMarks,
  statusOf,
  trace,
  unplug,
  untilReason,
  upgrade,
  usb,
  withTwoSerials,
} from '../testing/two-serials.js'

withTwoSerials()

it('ends the assignment of a phone that was enrolled under another serial', async () => {
  await untilLink(host, usb, 'unenrolled')
  await mustEnroll(usb)
  await of('ph_a', usb, 2n).start()
  await unplug(usb)
  await untilLink(host, net, 'unenrolled')
  await mustEnroll(net)
  await of('ph_b', net, 2n).start()
  await trace('ph_b', net, 2n)
  plug(usb)
  await untilReason(usb, /has since been enrolled or wiped under another serial/)
  // The number of the earlier serial is current, and its assignment is unchanged.
  await failureOf(filesOf('ph_a', usb, 2n))
  expect(await failureOf(of('ph_a', usb, 2n).start())).toMatchObject({ code: 'phone_unavailable' })
  expect(await filesOf('ph_b', net, 2n)).toEqual(['trace.txt'])
})

it("keeps the assignment over the phone's own restart, a requested restart and an agent restart", async () => {
  await untilLink(host, usb, 'unenrolled')
  await mustEnroll(usb)
  const a = of('ph_a', usb, 2n)
  await a.start()
  await trace('ph_a', usb, 2n)
  await host.control.call.rebootPhone({ assignment: a.assignment })
  await a.start()
  await upgrade(() => undefined)
  await untilLink(host, usb, 'healthy')
  await untilReason(net, /the same phone is connected/)
  expect(await filesOf('ph_a', usb, 2n)).toContain('trace.txt')
})

it('marks the phone of a record made before marks existed, and keeps its tenant', async () => {
  await untilLink(host, usb, 'unenrolled')
  await mustEnroll(usb)
  await of('ph_a', usb, 2n).start()
  await trace('ph_a', usb, 2n)
  await removeMarks()
  await upgrade(fromBefore)
  await untilLink(host, usb, 'healthy')
  expect(await filesOf('ph_a', usb, 2n)).toContain('trace.txt')
  expect(statusOf(usb)?.custody).toMatchObject({ assignment: { phone_id: 'ph_a' } })
  expect(await marks()).toHaveLength(1)
})

it('wipes the phone of two unmarked records that may describe the same phone', async () => {
  await untilLink(host, usb, 'unenrolled')
  await mustEnroll(usb)
  await unplug(usb)
  await untilLink(host, net, 'unenrolled')
  await mustEnroll(net)
  await of('ph_b', net, 2n).start()
  await trace('ph_b', net, 2n)
  await removeMarks(net)
  await unplug(net)
  plug(usb)
  await upgrade(fromBefore)
  await untilLink(host, usb, 'healthy')
  expect(await failureOf(of('ph_a', usb, 2n).start())).toMatchObject({ details: { reason: 'not_wiped' } })
  // The second serial connects while the first is in use, and stays refused after the first
  // disconnects.
  plug(net)
  await untilReason(net, /the same phone is connected/)
  expect(await of('', usb, 2n).wipe()).toMatchObject({ verified: true })
  await of('ph_a', usb, 3n).start()
  await unplug(usb)
  await untilReason(net, /has since been enrolled or wiped under another serial/)
  expect(await failureOf(of('ph_b', net, 2n).start())).toMatchObject({ code: 'phone_unavailable' })
})
