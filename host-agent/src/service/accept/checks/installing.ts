/**
 * Installs through the package manager's sessions, like a tenant's installs: an interrupted install, and a
 * complete install.
 */
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId, type Progress } from '@phonerack/shared'
import type { InstalledVersion } from '../../../adb/device/device.js'
import { need } from '../../grpc/call.js'
import type { Outcome as InstallOutcome } from '../../../devices/installs/records.js'
import { runInstall } from '../../../devices/installs/run-install.js'
import { readPart, settingsApp } from '../../../adb/parts/parts.js'
import { Failed, Skipped, type Check } from '../check.js'
import { timed, type PhoneUnderTest } from '../phone.js'
import { cut } from './losing.js'

/**
 * Returns the app of both checks, which the enrolment put on the phone.
 * @throws Skipped
 */
async function appOf(phone: PhoneUnderTest, progress: Progress): Promise<InstalledVersion> {
  const name = settingsApp.package
  const found = await phone
    .gate()
    .read(phone.caller(), progress, (device, within) => need(device.packages, 'apps').find(name, within))
  if (found === null) throw new Skipped(`${name} is not on the phone, so the app cannot be installed again`)
  return found
}

function installOn(
  phone: PhoneUnderTest,
  before: InstalledVersion,
  content: Buffer,
  onSession: (session: number | null) => void,
  progress: Progress,
): Promise<InstallOutcome> {
  const path = join(phone.dir, 'app.apk')
  writeFileSync(path, content)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const app = {
    // The app's version is read from the phone.
    package: settingsApp.package,
    versionCode: before.versionCode,
    before,
    files: [{ path, sha256, size: content.length }],
  }
  const hooks = { onSession, onBroken: () => Promise.resolve() }
  return phone
    .gate()
    .writeUnqueued('install', newId('request'), phone.caller(), progress, (device, within, again) => {
      const packages = need(device.packages, 'apps')
      const reconnect = async (asked: typeof within) => need((await again(asked)).packages, 'apps')
      return runInstall(packages, reconnect, app, hooks, within)
    })
}

/**
 * The number of bytes, so large that the connection is cut before all bytes are sent. The bytes contain no app, so no
 * commit could succeed.
 */
const interruptedSize = 64 << 20

export const installInterrupted: Check = {
  name: 'install_interrupted',
  claim: 'An install that loses its phone is reported as failed, and the app is unchanged.',
  needs: ['lost_input'],
  limitMs: 3 * 60_000,
  async run(phone, progress) {
    const before = await appOf(phone, progress)
    const sessions: number[] = []
    const cuts: Promise<void>[] = []
    const installing = timed(() =>
      installOn(
        phone,
        before,
        randomBytes(interruptedSize),
        (id) => {
          if (id === null) return
          sessions.push(id)
          const cutting = cut(phone, progress)
          // The result is awaited below.
          cutting.catch(() => undefined)
          cuts.push(cutting)
        },
        progress,
      ),
    )
    await Promise.allSettled([installing])
    await Promise.all(cuts)
    const { result, ms } = await installing
    const evidence = [`session ${sessions.join(', ') || 'none'}: ${JSON.stringify(result)}`]
    if (result.kind !== 'answered' || result.succeeded || result.errorCode !== 'phone_unavailable')
      throw new Failed('the lost install was not reported as phone_unavailable', { evidence })
    const back = await timed(() => phone.untilLink('healthy', progress))
    const after = await appOf(phone, progress)
    if (after.path !== before.path) throw new Failed(`${settingsApp.package} was replaced`, { evidence })
    // The phone keeps the files of a session that has not ended.
    for (const session of sessions)
      await phone
        .gate()
        .write('install', phone.caller(), progress, (device, within) =>
          need(device.packages, 'apps').abandon(session, within),
        )
    return { evidence, times: { ended: ms, back: back.ms } }
  },
}

export const install: Check = {
  name: 'install',
  claim: 'An app is installed by `pm install-create`, `-write` and `-commit`, without a dialog on the phone.',
  needs: ['start'],
  limitMs: 5 * 60_000,
  async run(phone, progress) {
    const before = await appOf(phone, progress)
    const content = await readPart(settingsApp)
    const { result, ms } = await timed(() => installOn(phone, before, content, () => undefined, progress))
    if (result.kind !== 'answered') throw new Failed('the outcome of the install is unknown')
    if (!result.succeeded)
      throw new Failed(`the phone refused the install: ${result.errorCode}: ${result.reason}`)
    return {
      evidence: [`${settingsApp.package}, ${content.length} bytes, replaced ${before.path}`],
      times: { install: ms },
    }
  },
}
