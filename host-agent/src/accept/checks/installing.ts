/** An install by the package manager's sessions, as of a tenant's app. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '@phonerack/shared'
import { need } from '../../grpc/call.js'
import { runInstall } from '../../installs/run-install.js'
import { readPart, settingsApp } from '../../parts/parts.js'
import { Failed, Skipped, type Check } from '../check.js'
import { timed } from '../phone.js'

export const install: Check = {
  name: 'install',
  claim: 'An app is installed by `pm install-create`, `-write` and `-commit`, without a dialog on the phone.',
  needs: ['start'],
  limitMs: 5 * 60_000,
  async run(phone, progress) {
    const name = settingsApp.package
    const path = join(phone.dir, 'app.apk')
    const content = await readPart(settingsApp)
    writeFileSync(path, content)
    const gate = phone.gate()
    const before = await gate.read(phone.caller(), progress, (device, within) =>
      need(device.packages, 'apps').find(name, within),
    )
    // Its version is read from the phone, which the enrolment gave it.
    if (before === null)
      throw new Skipped(`${name} is not on the phone, so that it cannot be installed again`)
    const app = {
      ...{ package: name, versionCode: before.versionCode, before },
      files: [{ path, sha256: settingsApp.sha256, size: content.length }],
    }
    const hooks = { onSession: () => undefined, onBroken: () => Promise.resolve() }
    const { result, ms } = await timed(() =>
      gate.writeUnqueued('install', newId('request'), phone.caller(), progress, (device, within, again) => {
        const packages = need(device.packages, 'apps')
        const reconnect = async (asked: typeof within) => need((await again(asked)).packages, 'apps')
        return runInstall(packages, reconnect, app, hooks, within)
      }),
    )
    if (result.kind !== 'answered') throw new Failed('the outcome of the install is unknown')
    if (!result.succeeded)
      throw new Failed(`the phone refused the install: ${result.errorCode}: ${result.reason}`)
    return { evidence: [`${name}, ${content.length} bytes, replaced ${before.path}`], times: { install: ms } }
  },
}
