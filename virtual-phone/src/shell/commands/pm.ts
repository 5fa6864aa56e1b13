/** `pm`, and `cmd package`: the installed packages. Source of forms: AOSP `PackageManagerShellCommand`. */
import { dangerousPermissions } from '../../android/permissions.js'
import { allPackages, findPackage, pathsOf } from '../../android/packages.js'
import type { AppEntry } from '../../android/world.js'
import { decode, encode } from '../bytes.js'
import { type CommandIo, type CommandRun, type CommandTable } from '../command.js'
import { intentText, parseIntent, shortComponent, withIntent } from './intent.js'
import { dumpPackages } from './dump-package.js'
import { listUsers } from './dump-user-data.js'
import { installVerbs, thrown } from './pm-install.js'

/** Removes `--user N` from the arguments. */
function withoutUser(args: readonly string[]): string[] {
  const rest = [...args]
  for (let at = rest.indexOf('--user'); at !== -1; at = rest.indexOf('--user')) rest.splice(at, 2)
  return rest
}

async function listPackages(io: CommandIo, args: readonly string[]): Promise<number> {
  const known = [
    '-f',
    '-U',
    '-3',
    '-s',
    '-e',
    '-d',
    '-i',
    '-a',
    '-u',
    '-l',
    '--show-versioncode',
    '--apex-only',
    '--uid',
  ]
  const rest = withoutUser(args)
  const unknown = rest.find((arg) => arg.startsWith('-') && !known.includes(arg))
  if (unknown !== undefined) {
    await io.err(`Error: Unknown option: ${unknown}\n`)
    return 255
  }
  const has = (option: string) => rest.includes(option)
  const filter = rest.find((arg) => !arg.startsWith('-')) ?? ''
  const wanted = (app: AppEntry) =>
    app.package.includes(decode(filter)) &&
    !(has('-3') && app.system) &&
    !(has('-s') && !app.system) &&
    (has('-d') ? isDisabled(app) : true) &&
    !(has('-e') && isDisabled(app)) &&
    !has('--apex-only')
  const isDisabled = (app: AppEntry) => io.android.installed.find(app.package)?.enabled === false
  for (const app of allPackages(io.android).filter(wanted)) {
    let line = `package:${has('-f') ? `${pathsOf(io.android, app)[0] ?? ''}=` : ''}${app.package}`
    if (has('--show-versioncode')) line += ` versionCode:${app.versionCode}`
    if (has('-i')) line += `  installer=${io.android.installed.find(app.package)?.installer ?? 'null'}`
    if (has('-U')) line += ` uid:${app.uid}`
    await io.out(`${line}\n`)
  }
  return 0
}

async function list(io: CommandIo, args: readonly string[]): Promise<number> {
  const [what = '', ...rest] = args
  switch (what) {
    case 'packages':
    case 'package':
      return listPackages(io, rest)
    case 'instrumentation':
      for (const { apk } of io.android.installed.list())
        for (const { name, target } of apk.instrumentations)
          await io.out(`instrumentation:${apk.package}/${name} (target=${target})\n`)
      return 0
    case 'permissions':
      if (rest.includes('-d')) await io.out('Dangerous Permissions:\n\n')
      for (const name of rest.includes('-d') ? dangerousPermissions : []) await io.out(`permission:${name}\n`)
      return 0
    case 'features':
      for (const feature of [
        'reqGlEsVersion=0x30002',
        'android.hardware.touchscreen',
        'android.hardware.wifi',
        'android.software.input_methods',
      ]) {
        await io.out(`feature:${feature}\n`)
      }
      return 0
    case 'users':
      await io.out(encode(listUsers(io.android)))
      return 0
    default:
      await io.err(`Error: unknown list type '${what}'\n`)
      return 255
  }
}

async function resolve(io: CommandIo, args: readonly string[], isQuery: boolean): Promise<number> {
  const brief = args.includes('--brief')
  const { intent } = parseIntent(
    withoutUser(args).filter((arg) => arg !== '--brief' && arg !== '--components'),
  )
  const name = intent.component?.package ?? intent.package
  const app = name === undefined ? null : findPackage(io.android, name)
  const activity = intent.component?.className ?? app?.launcherActivity ?? null
  if (app === null || activity === null) {
    await io.out(isQuery ? 'No activities found\n' : 'No activity found\n')
    return 0
  }
  if (args.includes('--components')) await io.out(`${shortComponent(app.package, activity)}\n`)
  else if (brief && isQuery)
    await io.out(
      `1 activities found:\n  Activity #0:\n    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n    ${shortComponent(app.package, activity)}\n`,
    )
  else if (brief)
    await io.out(
      `priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n${shortComponent(app.package, activity)}\n`,
    )
  else
    await io.out(
      encode(
        `${intentText(intent)}\n  ActivityInfo:\n    name=${activity}\n    packageName=${app.package}\n`,
      ),
    )
  return 0
}

/** Runs `grant`, `revoke`, `enable` and `disable` for an installed app. */
async function change(io: CommandIo, verb: string, args: readonly string[]): Promise<number> {
  const { installed } = io.android
  const name = decode(args[0] ?? '')
  const app = installed.find(name)
  const builtIn = io.android.world.permissionsOf(name)
  if (app === null && (verb === 'grant' || verb === 'revoke') && builtIn.has(args[1] ?? '')) {
    io.android.world.setPermission(name, args[1] ?? '', verb === 'grant')
    return 0
  }
  if (app === null) {
    const known = findPackage(io.android, name) !== null
    return thrown(
      io,
      verb,
      known
        ? 'java.lang.SecurityException: this phone is virtual: the packages of its system cannot be changed'
        : `java.lang.IllegalArgumentException: Unknown package: ${name}`,
    )
  }
  if (verb === 'enable' || verb.startsWith('disable')) {
    installed.put({ ...app, enabled: verb === 'enable' })
    if (verb !== 'enable') io.android.forceStop(name)
    await io.out(
      `Package ${name} new state: ${verb === 'disable' ? 'disabled' : verb === 'enable' ? 'enabled' : 'disabled-user'}\n`,
    )
    return 0
  }
  const permission = args[1] ?? ''
  if (!app.apk.permissions.includes(permission))
    return thrown(
      io,
      verb,
      `java.lang.SecurityException: Package ${name} has not requested permission ${permission}`,
    )
  // `development` permissions can also be granted; permissions of the system cannot.
  if (/^android\.permission\.(?:INTERNET|ACCESS_NETWORK_STATE)$/.test(permission))
    return thrown(
      io,
      verb,
      `java.lang.SecurityException: Permission ${permission} requested by ${name} is not a changeable permission type`,
    )
  const others = app.granted.filter((each) => each !== permission)
  installed.put({ ...app, granted: verb === 'grant' ? [...others, permission] : others })
  return 0
}

async function removeUser(io: CommandIo, id: number): Promise<number> {
  const { userData } = io.android
  const others = userData.users.filter((user) => user.id !== id)
  if (others.length === userData.users.length) {
    await io.err(`Error: couldn't remove user id ${id}\n`)
    return 1
  }
  userData.users = others
  io.android.changed()
  await io.out('Success: removed user\n')
  return 0
}

const pm: CommandRun = async (io) => {
  const [verb = '', ...args] = io.args
  const rest = withoutUser(args)
  const app = findPackage(io.android, decode(rest[0] ?? ''))
  const installVerb = installVerbs[verb]
  if (installVerb !== undefined) return installVerb(io, verb === 'clear' ? rest : args)
  switch (verb) {
    case 'list':
      return list(io, args)
    case 'path':
    case 'dump-path':
      if (app === null) return 1
      for (const path of pathsOf(io.android, app)) await io.out(`package:${path}\n`)
      return 0
    case 'resolve-activity':
    case 'query-activities':
      return withIntent(io, 'resolve-activity', () => resolve(io, args, verb === 'query-activities'))
    case 'dump':
      await io.out(dumpPackages(io.android, rest[0] === undefined ? null : decode(rest[0])))
      return 0
    case 'remove-user':
      return removeUser(io, Number(args.at(-1)))
    case 'get-max-users':
      await io.out('Maximum supported users: 1\n')
      return 0
    case 'is-user-ready':
      await io.out('true\n')
      return 0
    case 'enable':
    case 'disable':
    case 'disable-user':
    case 'grant':
    case 'revoke':
      return change(io, verb, rest)
    default:
      await io.err(
        verb === '' ? 'Package manager (package) commands:\n  help\n' : `Unknown command: ${verb}\n`,
      )
      return 255
  }
}

export const pmCommands: CommandTable = { pm }
