/** Permissions of apps that a user can change, by `pm grant` and `pm revoke`. Created by `supervision/assemble.ts`. */
import { ApiError, type Progress } from '@phonerack/shared'
import { command } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { writing } from '../../adb/device/outcome.js'
import type { Permissions, PermissionState } from '../../adb/device/reports.js'
import { commandFailed, outputOf, run } from '../../adb/device/run.js'
import { notUnderstood } from '../../adb/device/unreadable.js'
import { ownPackages } from '../../adb/parts/parts.js'
import { developmentPermissions } from './development-permissions.js'

interface AppPermissions {
  requested: ReadonlySet<string>
  granted: ReadonlySet<string>
}

/** The user for whom the agent installs apps and changes their permissions. */
const user = '0'

/**
 * Parses `dumpsys package NAME`: the section of the installed package, and of the shared user for an app that shares
 * its UID. Only the grants of `user` count: a dual app or a work profile belongs to another user. Null when `user` does
 * not have the app. Form: AOSP `Settings.dumpPackageLPr` and `dumpSharedUsersLPr`, Android 10 to 16. The manifest of an
 * app can forge lines of this section, so its names and states are claims of the app: Android refuses to grant a
 * permission that the app does not request.
 */
export function parsePermissions(dump: string, packageName: string): AppPermissions | null {
  const lines = dump.split(/\r?\n/)
  const begin = lines.indexOf('Packages:')
  const title = `  Package [${packageName}] (`
  const from = lines.findIndex((line, index) => index > begin && line.startsWith(title))
  if (begin === -1 || from === -1) return null
  const found = { requested: new Set<string>(), granted: new Set<string>() }
  const { isShared, isInstalled } = readSection(lines.slice(from + 1), found)
  if (!isInstalled) return null
  const shared = isShared ? lines.findIndex((line, index) => index > from && line === 'Shared users:') : -1
  if (shared !== -1) readSection(lines.slice(shared + 2), found)
  return found
}

/** @returns whether the app shares its UID with other apps, and whether `user` has the app */
function readSection(
  lines: readonly string[],
  found: Record<keyof AppPermissions, Set<string>>,
): { isShared: boolean; isInstalled: boolean } {
  let [section, of, isShared, isInstalled] = ['', user, false, true]
  for (const line of lines) {
    if (/^\S|^ {2}\S/.test(line)) break
    if (/^ {4}sharedUser=/.test(line)) isShared = true
    const [, number] = /^ {4}User (\d{1,9}):/.exec(line) ?? []
    if (number !== undefined) [section, of] = ['', number]
    if (number === user && / installed=false\b/.test(line)) isInstalled = false
    const [, heading] = /^\s+([a-z][a-z ]*permissions):\s*$/.exec(line) ?? []
    if (heading !== undefined) section = heading
    const [, name, rest = ''] = /^\s+([A-Za-z0-9_.]+)(?::(.*))?$/.exec(line) ?? []
    if (name === undefined || heading !== undefined || number !== undefined || of !== user) continue
    if (section === 'requested permissions') found.requested.add(name)
    if (section === 'runtime permissions' && rest.trimStart().startsWith('granted=true'))
      found.granted.add(name)
  }
  return { isShared, isInstalled }
}

/**
 * Parses `pm list permissions -d`: the permissions that a user decides about. Never returns a development
 * permission, even if an app forged its line.
 */
export function parseDangerous(list: string): Set<string> {
  const names = [...list.matchAll(/^ *permission:([A-Za-z0-9_.]+)\r?$/gm)].map(([, name = '']) => name)
  return new Set(names.filter((name) => !developmentPermissions.has(name)))
}

export function createPermissions(transport: Transport): Permissions {
  async function read(
    name: string,
    progress: Progress,
  ): Promise<AppPermissions & { dangerous: ReadonlySet<string> }> {
    // These are two commands, since the dump contains texts of the app's manifest, which could look like
    // lines of the list.
    const dump = await run(transport, command('dumpsys', 'package', name), progress)
    const found = ownPackages.has(name) ? null : parsePermissions(dump, name)
    if (found === null && !ownPackages.has(name) && !/^(?:Unable to find package|Packages:)/m.test(dump))
      throw notUnderstood(`the permissions of \`${name}\``, dump)
    if (found === null) throw new ApiError('app_not_found', { details: { package: name } })
    const list = await run(transport, command('pm', 'list', 'permissions', '-d'), progress)
    const dangerous = parseDangerous(list)
    // Android itself defines dangerous permissions, so an empty list is unreadable.
    if (dangerous.size === 0) throw notUnderstood('its permissions', list)
    return { ...found, dangerous }
  }

  async function change(verb: 'grant' | 'revoke', name: string, permission: string, progress: Progress) {
    const order = command('pm', verb, '--user', user, name, permission)
    const result = await writing('the change of a permission', () => transport.shell(order, progress))
    if (result.exitCode !== 0 || /Exception|^Error/m.test(outputOf(result)))
      throw commandFailed(order, result, `The phone refused to ${verb} \`${permission}\`.`)
  }

  return {
    async set(name, { grant, revoke }, progress) {
      const before = await read(name, progress)
      const issues = [...issuesOf('grant', grant, before, name), ...issuesOf('revoke', revoke, before, name)]
      const [first] = issues
      if (first) throw refused(first, issues)
      for (const permission of grant) await change('grant', name, permission, progress)
      for (const permission of revoke) await change('revoke', name, permission, progress)
      const after = await writing('the change of the permissions', () => read(name, progress))
      return [...grant, ...revoke].map((permission): PermissionState => ({
        name: permission,
        granted: after.granted.has(permission),
      }))
    },
  }
}

interface Issue {
  path: [field: 'grant' | 'revoke', index: number]
  message: string
}

/** Returns the error of invalid permissions. Its message names the first issue, like errors of the control plane. */
function refused({ path: [field, index], message }: Issue, issues: readonly Issue[]): ApiError {
  const more = issues.length > 1 ? ` ${issues.length - 1} more in \`details.issues\`.` : ''
  return new ApiError('validation_failed', {
    message: `\`${field}[${index}]\` ${message}.${more}`,
    next: 'Send only runtime permissions that the manifest of the app requests.',
    details: { validation_stage: 'phone', issues },
  })
}

function issuesOf(
  field: Issue['path'][0],
  names: readonly string[],
  { requested, dangerous }: { requested: ReadonlySet<string>; dangerous: ReadonlySet<string> },
  app: string,
): Issue[] {
  return names.flatMap((name, index): Issue[] => {
    const message = !requested.has(name)
      ? `is a permission that \`${app}\` does not request`
      : dangerous.has(name)
        ? null
        : 'is not a permission that a user can grant or revoke'
    return message === null ? [] : [{ path: [field, index], message }]
  })
}
