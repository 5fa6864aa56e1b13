/** Apps by `pm` and `am`: whether one is there, start, stop, open a link. */
import { ApiError, type Progress } from '@phonerack/shared'
import { command, type ShellCommand } from '../adb/quote.js'
import type { Transport } from '../adb/transport.js'
import type { Apps, Windows } from './device.js'
import { outputOf } from './run.js'

const frontMs = 10_000

const notFound = (packageName: string) => new ApiError('app_not_found', { details: { package: packageName } })

export function createApps(transport: Transport, windows: Windows): Apps {
  /** Runs `am start …`, which may fail with exit code 0 and words. */
  async function start(
    startCommand: ShellCommand,
    packageName: string | null,
    progress: Progress,
  ): Promise<void> {
    const result = await transport.shell(startCommand, progress)
    const output = outputOf(result)
    if (packageName !== null && /does not exist|Error type 3/.test(output)) throw notFound(packageName)
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
      const result = await transport.shell(command('pm', 'path', packageName), progress)
      return result.exitCode === 0 && result.stdout.toString('utf8').startsWith('package:')
    },
    async open(packageName, activity, progress) {
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
          // NEW_TASK | RESET_TASK_IF_NEEDED: what a launcher does.
          '-f',
          '0x10200000',
          '-n',
          target,
        ),
        packageName,
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
