/** `dumpsys package`: packages as the package manager prints them. */
import type { Android } from '../../android/android.js'
import type { InstalledApp } from '../../android/installed.js'
import { allPackages, pathsOf } from '../../android/packages.js'
import { model } from '../../android/identity.js'
import { dangerousPermissions } from '../../android/permissions.js'
import { shortComponent } from './intent.js'

/**
 * Returns text and not a byte string, since package names are ASCII.
 * @param name null for all packages
 */
export function dumpPackages(android: Android, name: string | null): string {
  const apps = allPackages(android).filter(
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
    const own = android.installed.find(app.package)
    const path = pathsOf(android, app)[0] ?? ''
    text += `  Package [${app.package}] (${token(app.package)}):
    userId=${app.uid}
    pkg=Package{${token(app.label)} ${app.package}}
    codePath=${path.slice(0, path.lastIndexOf('/'))}
    resourcePath=${path.slice(0, path.lastIndexOf('/'))}
    primaryCpuAbi=null
    versionCode=${app.versionCode} minSdk=${own?.apk.minSdk ?? model.sdk} targetSdk=${own?.apk.targetSdk ?? model.sdk}
    versionName=${app.versionName}
${own === null ? systemDetails(app.system, android.world.permissionsOf(app.package)) : installedDetails(own)}`
  }
  return text
}

/** Returns the sections of permissions. Permissions that a user decides about are listed with their state. */
function permissionSections(requested: readonly string[], granted: ReadonlySet<string>) {
  const asked = requested.map((name) => `      ${name}\n`).join('')
  const states = requested
    .filter((name) => granted.has(name) || dangerousPermissions.includes(name))
    .map((name) => `        ${name}: granted=${granted.has(name)}, flags=[ USER_SET ]\n`)
  return {
    requested: asked === '' ? '' : `    requested permissions:\n${asked}`,
    runtime: `      runtime permissions:\n${states.join('')}`,
  }
}

function systemDetails(system: boolean, permissions: ReadonlyMap<string, boolean>): string {
  const granted = [...permissions].filter(([, isGranted]) => isGranted).map(([name]) => name)
  const sections = permissionSections([...permissions.keys()], new Set(granted))
  return `    flags=[ ${system ? 'SYSTEM ' : ''}HAS_CODE ALLOW_CLEAR_USER_DATA ]
    firstInstallTime=2009-01-01 00:00:00
    lastUpdateTime=2009-01-01 00:00:00
${sections.requested}    User 0: ceDataInode=0 installed=true hidden=false suspended=false distractionFlags=0 stopped=false notLaunched=false enabled=0 instant=false virtual=false
${permissions.size === 0 ? '' : sections.runtime}`
}

function installedDetails(app: InstalledApp): string {
  const { apk } = app
  const flags = ['DEBUGGABLE', 'HAS_CODE', 'TEST_ONLY', 'ALLOW_CLEAR_USER_DATA'].filter(
    (flag) => (flag !== 'DEBUGGABLE' || apk.debuggable) && (flag !== 'TEST_ONLY' || apk.testOnly),
  )
  const signers = apk.signature.certificates.map((certificate) => certificate.slice(0, 8)).join(', ')
  const { requested, runtime } = permissionSections(apk.permissions, new Set(app.granted))
  return `    splits=[${['base', ...app.splits].join(', ')}]
    apkSigningVersion=${apk.signature.version}
    flags=[ ${flags.join(' ')} ]
    dataDir=/data/user/0/${apk.package}
    timeStamp=${stamp(app.lastUpdateMs)}
    lastUpdateTime=${stamp(app.lastUpdateMs)}
    installerPackageName=${app.installer ?? 'null'}
    signatures=PackageSignatures{${token(apk.package)} version:${apk.signature.version}, signatures:[${signers}], past signatures:[]}
    installPermissionsFixed=true
    pkgFlags=[ ${flags.join(' ')} ]
${requested}    User 0: ceDataInode=0 installed=true hidden=false suspended=false distractionFlags=0 stopped=false notLaunched=false enabled=${app.enabled ? 0 : 3} instant=false virtual=false
      firstInstallTime=${stamp(app.firstInstallMs)}
${runtime}`
}

/** Formats a time as `2026-01-31 12:34:56`, in UTC. */
function stamp(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}

/** Returns a short hexadecimal number derived from a name, where Android prints an object's hash. */
export function token(name: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193) >>> 0
  return (hash & 0xfffffff).toString(16).padStart(7, '0')
}
