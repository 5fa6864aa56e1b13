/** Calls for a phone that was replaced by another phone at the same TCP port, through the real adb server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, Progress } from '@phonerack/shared'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DeviceGone } from '../base/device-gone.js'
import { startTestPhone, type TestPhone } from '../testing/phone.js'
import { runningPid } from '../testing/pids.js'
import { until } from '../testing/until.js'
import type { ListedDevice } from './device-list.js'
import { command } from './quote.js'
import { startAdbServer, type AdbServer } from './server.js'
import { pin, SerialTarget } from './target.js'
import { createTransport, type Transport } from './transport.js'

const log = createLogger('test')
log.level = 'silent'
const progress = () => Progress.for(20_000)
let dataDir: string
let phone: TestPhone
let server: AdbServer

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'phonerack-target-'))
  phone = await startTestPhone()
  server = await startAdbServer({ bin: 'adb', dataDir, log })
})
afterEach(async () => {
  await server.stop()
  await phone.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Connects the current phone of the port. */
async function connect(): Promise<ListedDevice> {
  let found: ListedDevice | undefined
  await until(async () => {
    await server.client.disconnect(phone.serial, progress())
    await server.client.connect(phone.serial, progress())
    found = (await server.client.devices(progress())).find(({ serial }) => serial === phone.serial)
    return found?.state === 'device'
  })
  if (!found) throw new Error('adb does not list the phone')
  return found
}

const hardware = async (transport: Transport): Promise<string> =>
  (await transport.shell(command('getprop', 'ro.serialno'), progress())).stdout.toString().trim()

it('reaches no other phone that connects at the same port', async () => {
  const target = new SerialTarget(phone.serial)
  target.set((await connect()).transport)
  const transport = createTransport(server.client, target)
  const steps = transport.pinned()
  const first = await hardware(transport)
  await phone.swap()
  const { transport: next } = await connect()
  phone.proxy.opened.length = 0

  // The target still has the first phone's transport, since the list has not been read again.
  const calls = [
    () => transport.shell(command('input', 'text', 'for the first'), progress()),
    () => transport.exec(command('true'), progress()),
    () => transport.spawn(command('true'), progress()),
    () => transport.push('/sdcard/x', Buffer.from('x'), 0o644, progress()),
    () => transport.pull('/sdcard/x', 10, progress()),
    () => transport.lstat('/sdcard', progress()),
    () => transport.connectTcp(6790, progress()),
    () => transport.connectAbstract('x', progress()),
    () => transport.reboot(progress()),
    () => transport.reconnect(progress()),
  ]
  for (const call of calls) await expect(call()).rejects.toThrow(DeviceGone)
  expect(phone.proxy.opened).toEqual([])

  expect(target.set(next)).toBe(true)
  expect(await hardware(transport)).not.toBe(first)
  await expect(hardware(steps)).rejects.toThrow(DeviceGone)
})

it('reaches no phone that has the same transport ID in another run of the adb server', async () => {
  const target = new SerialTarget(phone.serial)
  const { transport: old } = await connect()
  target.set(old)
  const transport = createTransport(server.client, target)
  await hardware(transport)
  const pid = runningPid(server)
  process.kill(pid, 'SIGKILL')
  await until(() => server.pid !== null && server.pid !== pid && server.trouble === null)
  let now = await connect()
  for (let tries = 0; now.transport.id < old.id && tries < 20; tries += 1) now = await connect()
  expect(now.transport.id).toBe(old.id)
  phone.proxy.opened.length = 0
  await expect(hardware(transport)).rejects.toThrow(DeviceGone)
  expect(phone.proxy.opened).toEqual([])
  expect(target.set(now.transport)).toBe(true)
  await hardware(transport)
})

it('pins one connection, and not another connection with the same ID', () => {
  const target = new SerialTarget('a phone')
  expect(pin(target).current).toBeNull()
  const id = { id: 3, serverRun: 1 }
  expect(target.set(id)).toBe(true)
  const pinned = pin(target)
  expect(target.set({ ...id })).toBe(false)
  expect(pinned.current).toEqual(id)
  // The connection broke and adb reopened it, so another phone may be connected.
  target.set(null)
  target.set({ ...id })
  expect(pinned.current).toBeNull()
  expect(target.current).toEqual(id)
})
