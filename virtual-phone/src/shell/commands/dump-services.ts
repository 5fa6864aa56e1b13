/** `dumpsys activity services [PACKAGE]`: the running services. Format: AOSP `ServiceRecord.dump`. */
import type { Android } from '../../android/android.js'
import { token } from './dump-package.js'
import { shortComponent } from './intent.js'

/** `names`: packages or components; empty for all. */
export function dumpServices({ installed, running }: Android, names: readonly string[]): string {
  const title = 'ACTIVITY MANAGER SERVICES (dumpsys activity services)\n'
  const services = running
    .listServices()
    .filter(({ package: name, className }) =>
      names.every(
        (wanted) => `${name}/${className}`.includes(wanted) || wanted === shortComponent(name, className),
      ),
    )
  if (services.length === 0) return `${title}  (nothing)\n`
  const records = services.map(({ package: name, className, foreground, startedAtMs }) => {
    const short = shortComponent(name, className)
    const app = installed.find(name)
    const ageMs = Date.now() - startedAtMs
    const shownUid = `u0a${(app?.uid ?? 10_000) - 10_000}`
    return `  * ServiceRecord{${token(className)} u0 ${short} c:${name}}
    intent={cmp=${short}}
    packageName=${name}
    processName=${name}
    baseDir=${app?.folder ?? ''}/base.apk
    dataDir=/data/user/0/${name}
    app=ProcessRecord{${token(name)} ${name}/${shownUid}}
    isForeground=${foreground} foregroundId=${foreground ? 1 : 0}${foreground ? ' foregroundNoti=Notification(channel=main_channel shortcut=null contentView=null vibrate=null sound=null defaults=0x0 flags=0x62 color=0x00000000 vis=PRIVATE)' : ''}
    createTime=-${ageMs}ms startingBgTimeout=--
    lastActivity=-${ageMs}ms restartTime=-${ageMs}ms createdFromFg=true
    startRequested=true delayedStop=false stopIfKilled=false callStart=true lastStartId=1
`
  })
  return `${title}  User 0 active services:\n${records.join('\n')}`
}
