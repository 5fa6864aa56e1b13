/** `dumpsys package`: packages as the package manager prints them. */
import type { Android } from '../../android/android.js'
import { allPackages, apkPath } from '../../android/packages.js'
import { model } from '../../android/identity.js'
import { shortComponent } from './intent.js'

/** `name` null: all of them. Text, not a byte string: package names are ASCII. */
export function dumpPackages(android: Android, name: string | null): string {
  const apps = allPackages(android.world).filter(
    (app) => name === null || name === 'packages' || app.package === name,
  )
  if (apps.length === 0) return `Unable to find package: ${name ?? ''}\n`
  let text = 'Activity Resolver Table:\n  Non-Data Actions:\n      android.intent.action.MAIN:\n'
  for (const app of apps) {
    if (app.launcherActivity === null) continue
    text += `        ${token(app.package)} ${shortComponent(app.package, app.launcherActivity)} filter ${token(app.label)}\n`
    text +=
      '          Action: "android.intent.action.MAIN"\n          Category: "android.intent.category.LAUNCHER"\n'
  }
  text += '\nPackages:\n'
  for (const app of apps) {
    const path = apkPath(app)
    text += `  Package [${app.package}] (${token(app.package)}):
    userId=${app.uid}
    pkg=Package{${token(app.label)} ${app.package}}
    codePath=${path.slice(0, path.lastIndexOf('/'))}
    resourcePath=${path.slice(0, path.lastIndexOf('/'))}
    primaryCpuAbi=null
    versionCode=${app.versionCode} minSdk=${model.sdk} targetSdk=${model.sdk}
    versionName=${app.versionName}
    flags=[ ${app.system ? 'SYSTEM ' : ''}HAS_CODE ALLOW_CLEAR_USER_DATA ]
    firstInstallTime=2009-01-01 00:00:00
    lastUpdateTime=2009-01-01 00:00:00
    User 0: ceDataInode=0 installed=true hidden=false suspended=false distractionFlags=0 stopped=false notLaunched=false enabled=0 instant=false virtual=false
`
  }
  return text
}

/** A short hexadecimal number that stays the same for a name, where Android prints an object's hash. */
export function token(name: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193) >>> 0
  return (hash & 0xfffffff).toString(16).padStart(7, '0')
}
