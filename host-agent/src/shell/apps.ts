/** Apps by `pm` and `am`: check for presence, start, stop, open a link. */
import { ApiError, type Progress } from '@phonerack/shared'
import { command, type ShellCommand } from '../adb/quote.js'
import type { Transport } from '../adb/transport.js'
import { ownPackages } from '../parts/parts.js'
import type { Apps, Windows } from '../device/device.js'
import { outputOf } from '../device/run.js'

const frontMs = 10_000

const notFound = (packageName: string) => new ApiError('app_not_found', { details: { package: packageName } })

const noActivity = (packageName: string, activity: string, isThere: boolean) =>
  new ApiError('app_not_found', {
    message: isThere
      ? `The activity \`${activity}\` of \`${packageName}\` is not exported: only its own app can start it.`
      : `\`${packageName}\` has no activity \`${activity}\`.`,
    next: 'Omit `activity` to open the app as its icon does, or use the full class name of an exported activity.',
    details: { package: packageName, activity },
  })

/** The agent's helper apps. Clients cannot open them: some close immediately, so opening one would time out. */
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

  /** The activity that the launcher would start, as `package/class`. */
  async function launcherOf(packageName: string, progress: Progress): Promise<string> {
    const result = await transport.shell(
      command(
        'cmd',
        'package',
        'resolve-activity',
        '--brief',
        '-a',
        'android.intent.action.MAIN',
        '-c',
        'android.intent.category.LAUNCHER',
        packageName,
      ),
      progress,
    )
    const last = result.stdout.toString('utf8').trim().split('\n').at(-1)?.trim() ?? ''
    if (!last.startsWith(`${packageName}/`)) throw notFound(packageName)
    return last
  }

  const apps: Apps = {
    async installed(packageName, progress) {
      if (isOurs(packageName)) return false
      const result = await transport.shell(command('pm', 'path', packageName), progress)
      return result.exitCode === 0 && result.stdout.toString('utf8').startsWith('package:')
    },
    async open(packageName, activity, progress) {
      if (isOurs(packageName)) throw notFound(packageName)
      const target =
        activity === null ? await launcherOf(packageName, progress) : `${packageName}/${activity}`
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
          target,
        ),
        { package: packageName, activity },
        progress,
      )
      await waitForFront(packageName, progress.within(frontMs))
    },
    async forceStop(packageName, progress) {
      if (!(await apps.installed(packageName, progress))) throw notFound(packageName)
      await start(command('am', 'force-stop', packageName), null, progress)
    },
    async openUrl(url, progress) {
      await start(command('am', 'start', '-a', 'android.intent.action.VIEW', '-d', url), null, progress)
    },
  }

  async function waitForFront(packageName: string, progress: Progress): Promise<void> {
    for (let pause = 20; ; pause = Math.min(pause * 2, 250)) {
      if ((await windows.read(progress)).package === packageName) return
      await progress.sleep(pause, `${packageName} to come to the front`)
    }
  }

  return apps
}
