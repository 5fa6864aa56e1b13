/** An agent without the scrcpy server, such as on a rack without internet access, with a virtual phone. */
import { createLogger } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startAgent } from './agent.js'
import { controlPlaneIdentity } from './grpc/call.js'
import { hostId, serverName } from '../testing/agent.js'
import { createClient, type TestClient } from '../testing/client.js'
import { createLiveClient } from '../testing/live-client.js'
import { resultsOf, session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../testing/phone.js'
import { until } from '../testing/until.js'

const patience = 60_000
let both: PhoneAndHost
let control: TestClient

beforeAll(async () => {
  both = await startPhoneAndHost()
  await untilLink(both.host, both.phone.serial, 'unenrolled', patience)
  await both.host.control.enroll({ serial: both.phone.serial, fencingNumber: 1n }, 150_000)
  const { host } = both
  await host.agent.stop()
  const log = createLogger('test')
  log.level = 'silent'
  host.agent = await startAgent({ ...host.config, scrcpyServer: null }, host.identity, log)
  const certificate = await host.ca.issue({ uri: controlPlaneIdentity }, 'client')
  control = createClient(`127.0.0.1:${host.agent.grpcPort}`, host.ca.caPem, certificate, serverName)
  expect(host.identity.hostId).toBe(hostId)
})
afterAll(async () => {
  control.close()
  await both.stop()
})

it('serves a phone that was enrolled with the scrcpy server, and refuses calls that need that server', async () => {
  await untilLink(both.host, both.phone.serial, 'healthy', patience)
  const phone = session(control, both.phone.serial, 2n)
  await phone.start()
  expect(resultsOf(await phone.run([{ type: 'open_app', package: 'com.phonerack.notes' }]))).toMatchObject([
    { ok: true },
  ])
  expect((await phone.observe()).app.package).toBe('com.phonerack.notes')
  const live = await createLiveClient(both.host)
  const view = live.open(phone.assignment, false)
  await until(() => view.end !== null, patience, 'the end of the live view')
  expect(view.end).toMatchObject({ plain: { code: 'feature_unavailable' } })
  live.close()
})

it('enrols a phone with the slower implementations, and names the reason', async () => {
  const answer = await control.enroll({ serial: both.phone.serial, fencingNumber: 3n }, 150_000)
  expect(answer.checks.filter(({ passed }) => !passed)).toEqual([])
  expect(answer.verified).toBe(true)
  const found = (wanted: string) => answer.capabilities.find(({ name }) => name === wanted)
  expect(found('input')).toMatchObject({
    implementation: 'input-commands',
    evidence: expect.stringContaining('no scrcpy server') as string,
  })
  expect(found('video')).toMatchObject({ implementation: '' })
})
