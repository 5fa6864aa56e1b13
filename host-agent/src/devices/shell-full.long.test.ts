/** The end of a session on a phone on which a tenant's processes leave no room for another process. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../testing/phone.js'

let both: PhoneAndHost
beforeAll(async () => {
  both = await startPhoneAndHost()
  const { host, phone } = both
  await untilLink(host, phone.serial, 'unenrolled')
  await host.control.enroll({ serial: phone.serial, fencingNumber: 1n }, 60_000)
  await at(2n).start()
}, 90_000)
afterAll(() => both.stop())

const at = (fencingNumber: bigint) => session(both.host.control, both.phone.serial, fencingNumber)
const opened = (service: string) => both.phone.proxy.opened.filter((name) => name.startsWith(service)).length

it('restarts the phone by adbd, since no command can run, and uses it again', async () => {
  await at(2n).run([{ type: 'shell', command: 'sleep 3333 >/dev/null 2>&1 &' }])
  const restarts = opened('reboot:')
  both.phone.inside.faults.fillProcessTable('ps -A')
  await at(3n).park()
  expect(opened('reboot:')).toBe(restarts + 1)
  await at(4n).start()
  expect((await at(4n).observe()).elements.length).toBeGreaterThan(0)
}, 120_000)
