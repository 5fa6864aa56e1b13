/** Two phones: the adb server of the first phone cannot run, and the adb server of the second phone runs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findMarked } from '../adb/process-identity.js'
import { adbMarkPath, adbSocketPath } from '../adb/sockets.js'
import { startTestHost, type TestHost } from '../testing/agent.js'
import { startTestPhone, untilLink, type TestPhone } from '../testing/phone.js'
import { runningPid } from '../testing/pids.js'
import { until } from '../testing/until.js'

let dir: string
let host: TestHost
let phones: [TestPhone, TestPhone]

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'phonerack-without-server-'))
  phones = [await startTestPhone(), await startTestPhone()]
  const adb = join(dir, 'adb')
  const script = `#!/bin/sh\n[ -e ${dir}/broken ] && [ "$2" = "$(cat ${dir}/broken)" ] && echo "no luck" && exit 3\nexec adb "$@"\n`
  writeFileSync(adb, script, { mode: 0o755 })
  const serials = phones.map(({ serial }) => serial)
  host = await startTestHost(serials, [], {}, adb)
  for (const serial of serials) await untilLink(host, serial, 'unenrolled')
})
afterAll(async () => {
  await host.stop()
  for (const phone of phones) await phone.stop()
  rmSync(dir, { recursive: true, force: true })
})

it('is absent with the reason of the server, and the other phone stays as it is', async () => {
  const { dataDir } = host.config
  const [broken, other] = phones.map(({ serial }) => serial)
  const statusOf = (serial?: string) =>
    host.agent.registry.statuses().find((status) => status.serial === serial)
  writeFileSync(join(dir, 'broken'), `localfilesystem:${adbSocketPath(dataDir, broken ?? '')}`)
  const pid = findMarked(adbMarkPath(dataDir, broken ?? ''))
  process.kill(runningPid({ pid }), 'SIGABRT')
  await until(() => statusOf(broken)?.reason?.includes('code 3') ?? false)
  expect(statusOf(broken)).toMatchObject({
    link: 'absent',
    reason: 'the adb server of the device does not run: ended with code 3: no luck',
  })
  expect(statusOf(other)).toMatchObject({ link: 'unenrolled', reason: null })
  rmSync(join(dir, 'broken'))
  await untilLink(host, broken ?? '', 'unenrolled')
})
