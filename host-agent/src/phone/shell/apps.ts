/**
 * Handles apps by `pm` and `am`: tests whether an app is installed, starts and stops apps, and opens links.
 */
import { ApiError, type Progress } from '@phonerack/shared'
import { command, type ShellCommand } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { ownPackages } from '../../adb/parts/parts.js'
import type { Apps, OpenedApp, Windows } from '../../adb/device/device.js'
import { outputOf } from '../../adb/device/run.js'
import { notUnderstood } from '../../adb/device/unreadable.js'

const frontMs = 10_000
/**
 * A dialog of another app counts as in front after this time, since a closing app may show its dialog for a
 * moment.
 */
const dialogMs = 1000

const notFound = (packageName: string) => new ApiError('app_not_found', { details: { package: packageName } })

const noActivity = (packageName: string, activity: string, isThere: boolean) =>
  new ApiError('app_not_found', {
    message: isThere
      ? `The activity \`${activity}\` of \`${packageName}\` is not exported: only its own app can start it.`
      : `\`${packageName}\` has no activity \`${activity}\`.`,
    next: 'Omit `activity` to open the app as its icon does, or use the full class name of an exported activity.',
    details: { package: packageName, activity },
  })

const queryIcons = [
  ...['cmd', 'package', 'query-activities', '--brief'],
  ...['-a', 'android.intent.action.MAIN', '-c', 'android.intent.category.LAUNCHER'],
]

/** A leading dot abbreviates the package. */
const whole = (packageName: string, className: string): string =>
  className.startsWith('.') ? packageName + className : className

/**
 * Returns the activity of an app's icon: the first activity, unless a library added an icon before it, such as
 * LeakCanary, whose classes have another name. Null when the app has no icon. Form: AOSP `PackageManagerShellCommand`,
 * Android 9 to 16, with or without `--components`. Pure.
 */
export function iconOf(output: string, packageName: string): string | null {
  const classes = output.split('\n').flatMap((line) => {
    const [, name, className] = /^([A-Za-z0-9_.]+)\/([^\s/]+)$/.exec(line.trim()) ?? []
    return name === packageName && className !== undefined ? [whole(packageName, className)] : []
  })
  const family = packageName.split('.', 2).join('.')
  return classes.find((name) => name.startsWith(`${family}.`)) ?? classes[0] ?? null
}

/**
 * Whether the package is a helper app of the agent. Clients cannot open helper apps: some close immediately, so opening
 * them would time out.
 */
const isOurs = (packageName: string): boolean => ownPackages.has(packageName)

export function createApps(transport: Transport, windows: Windows): Apps {
  /** Runs `am start …`, which can fail with exit code 0 and a message. */
  async function start(
    startCommand: ShellCommand,
    opened: { package: string; activity: string | null } | null,
    progress: Progress,
  ): Promise<void> {
    const result = await transport.shell(startCommand, progress)
    const output = outputOf(result)
    if (opened !== null) {
      const { package: name, activity } = opened
      const missing = /does not exist|Error type 3/.test(output)
      const closed = /Permission Denial: starting Intent|not exported from uid/.test(output)
      if (activity !== null && (missing || closed)) throw noActivity(name, activity, closed)
      if (missing) throw notFound(name)
    }
    if (result.exitCode !== 0 || /^Error:|^Exception occurred|SecurityException/m.test(output)) {
      throw new ApiError('provider_error', { details: { output: output.slice(0, 500) } })
    }
  }

  /** Returns the class of the activity behind the app's icon. */
  async function launcherOf(packageName: string, progress: Progress): Promise<string> {
    const output = outputOf(await transport.shell(command(...queryIcons, packageName), progress))
    const found = iconOf(output, packageName)
    if (found !== null) return found
    if (/^No activit(?:y|ies) found/m.test(output)) throw notFound(packageName)
    throw notUnderstood(`the activities of \`${packageName}\``, output)
  }

  const apps: Apps = {
    async installed(packageName, progress) {
      if (isOurs(packageName)) return false
      const result = await transport.shell(command('pm', 'path', packageName), progress)
      return result.exitCode === 0 && result.stdout.toString('utf8').startsWith('package:')
    },
    async open(packageName, activity, progress) {
      if (isOurs(packageName)) throw notFound(packageName)
      const before = (await windows.read(progress)).package
      const opened =
        activity === null ? await launcherOf(packageName, progress) : whole(packageName, activity)
      await start(
        command(
          'am',
          'start',
          '-a',
          'android.intent.action.MAIN',
          '-c',
          'android.intent.category.LAUNCHER',
          // NEW_TASK | RESET_TASK_IF_NEEDED, as a launcher sets them.
          '-f',
          '0x10200000',
          '-n',
          `${packageName}/${opened}`,
        ),
        { package: packageName, activity },
        progress,
      )
      return { activity: opened, app: await waitForFront(packageName, before, progress.within(frontMs)) }
    },
    async forceStop(packageName, progress) {
      if (!(await apps.installed(packageName, progress))) throw notFound(packageName)
      await start(command('am', 'force-stop', packageName), null, progress)
    },
    async openUrl(url, progress) {
      await start(command('am', 'start', '-a', 'android.intent.action.VIEW', '-d', url), null, progress)
    },
  }

  async function waitForFront(
    packageName: string,
    before: string,
    progress: Progress,
  ): Promise<OpenedApp['app']> {
    let other = { name: '', since: 0 }
    for (let pause = 20; ; pause = Math.min(pause * 2, 250)) {
      const { package: name, activity } = await windows.read(progress)
      const now = performance.now()
      if (name !== other.name) other = { name, since: now }
      const isDialog = name !== '' && name !== before && now - other.since >= dialogMs
      if (name === packageName || isDialog) return { package: name, activity }
      await progress.sleep(pause, `the opening of ${packageName}`)
    }
  }

  return apps
}
