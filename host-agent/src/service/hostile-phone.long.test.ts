/**
 * A phone that answers with invalid bytes: each call ends with a public error that blames the phone, and the
 * agent continues.
 */
import { Metadata, type ServiceError } from '@grpc/grpc-js'
import type { RecordingServiceClient } from '@phonerack/proto'
import { newId } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CallFailed, toCallFailed } from '../testing/client.js'
import { createLiveClient, type LiveClient } from '../testing/live-client.js'
import { resultsOf, session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../testing/phone.js'
import { createRecordingClient } from '../testing/recording-client.js'
import { until } from '../testing/until.js'

let both: PhoneAndHost
let live: LiveClient
let recordings: RecordingServiceClient
let fencingNumber = 1n
const unhandled: unknown[] = []
const onUnhandled = (error: unknown) => void unhandled.push(error)

beforeAll(async () => {
  process.on('unhandledRejection', onUnhandled)
  both = await startPhoneAndHost()
  const { host, phone } = both
  await untilLink(host, phone.serial, 'unenrolled', 60_000)
  await host.control.enroll({ serial: phone.serial, fencingNumber }, 120_000)
  live = await createLiveClient(host)
  recordings = await createRecordingClient(host)
})
afterAll(async () => {
  live.close()
  recordings.close()
  await both.stop()
  process.off('unhandledRejection', onUnhandled)
})

/** Error codes of all kinds of calls, made concurrently; null for calls that succeed. */
async function callAll(): Promise<Record<string, string | null>> {
  const { phone, host } = both
  const { control } = host
  const { assignment, run } = session(control, phone.serial, fencingNumber)
  const act = async (...actions: Parameters<typeof run>[0]) => {
    const failed = resultsOf(await run(actions)).find(({ ok }) => !ok)
    if (failed) throw new Error(failed.error?.code)
  }
  const record = () =>
    new Promise<void>((resolve, reject) => {
      const request = { assignment, recordingId: newId('recording') }
      const options = { deadline: Date.now() + 30_000 }
      recordings.startRecording(request, new Metadata(), options, (error: ServiceError | null) =>
        error ? reject(toCallFailed(error)) : resolve(),
      )
    })
  const logs = { assignment, limit: 10, package: '', minLevel: 0, since: undefined, cursor: '' }
  const calls = {
    observe: control.observe({ assignment, screenshot: undefined }),
    screenshot: control.screenshot({ assignment, screenshot: undefined }),
    tap: act({ type: 'tap', target: { x: 100, y: 100 } }),
    open: act({ type: 'open_app', package: 'com.phonerack.notes' }),
    apps: control.call.listApps({ assignment }),
    files: control.call.listFiles({ assignment, path: '/sdcard' }),
    write: control.call.writeFile({ assignment, path: '/sdcard/a', content: Buffer.from('a') }),
    clipboard: control.call.getClipboard({ assignment }),
    info: control.call.getDeviceInfo({ assignment }),
    location: control.call.setLocation({ assignment, location: { latitude: 1, longitude: 2 } }),
    logs: control.call.readLogs(logs),
    notifications: control.call.listNotifications({ assignment }),
    recording: record(),
  }
  const codeOf = (error: Error) =>
    error instanceof CallFailed ? (error.plain?.code ?? error.message) : error.message
  const coded = Object.entries(calls).map(
    async ([name, call]) => [name, await call.then(() => null, codeOf)] as const,
  )
  return Object.fromEntries(await Promise.all(coded))
}

// The last error makes the agent avoid the phone for a while.
it.each([
  ['sync:', ['files', 'write']],
  ['localabstract:', ['recording']],
  ['logcat', ['logs']],
  ['tcp:', ['observe']],
  ['scrcpy.Server', ['recording']],
  ['shell,v2', ['apps', 'info', 'location', 'logs', 'notifications']],
])('ends calls, and blames the phone, when %s answers with invalid bytes', async (service, hit) => {
  const { phone, host } = both
  fencingNumber += 1n
  phone.proxy.garble('no service')
  const { start, assignment } = session(host.control, phone.serial, fencingNumber)
  await start()
  phone.proxy.garble(service)
  phone.inside.faults.crashUiServer()
  const starts = () => phone.proxy.opened.filter((each) => each.includes('scrcpy.Server')).length
  const before = starts()
  phone.inside.faults.killScrcpy()
  // The agent has seen the end of the sockets that it opened earlier.
  await until(() => service === 'shell,v2' || starts() > before, 60_000, 'the restart of scrcpy')
  const view = live.open(assignment, true)
  const codes = await callAll()
  view.cancel()
  const failed = Object.entries(codes).filter(([, code]) => code !== null)
  for (const [, code] of failed)
    expect(['provider_error', 'provider_timeout', 'phone_unavailable', 'action_outcome_unknown']).toContain(
      code,
    )
  expect(failed.map(([name]) => name)).toEqual(expect.arrayContaining(hit))
  expect(unhandled).toEqual([])
})
