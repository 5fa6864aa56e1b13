/**
 * The scrcpy server: started by `app_process` when a client runs
 * `com.genymobile.scrcpy.Server`. Implements the protocol of the pushed version (`v3_3_3/`, `v4_1/`). Called by
 * the shell's `app_process`.
 */
import { model as deviceModel } from '../android/identity.js'
import { type ScrcpyInvocation } from '../android/program.js'
import { encoderList } from './encoders.js'
import { ServerLog } from './log.js'
import { OptionError, parseOptions } from './options.js'
import { protocolOf } from './protocols.js'
import { serve } from './server.js'

function listApps(invocation: ScrcpyInvocation): string {
  const lines = invocation.world
    .launchableApps()
    .map((app) => ` ${app.system ? '*' : '-'} ${app.label.padEnd(30)} ${app.package}`)
  return `List of apps:\n${lines.map((line) => `   ${line}`).join('\n')}`
}

function listOf(list: string, invocation: ScrcpyInvocation): string {
  const { width, height } = invocation.world.display
  switch (list) {
    case 'list_apps':
      return listApps(invocation)
    case 'list_encoders':
      return `${encoderList()}\nList of audio encoders:`
    case 'list_displays':
      return `List of displays:\n    --display-id=0    (${width}x${height})`
    default:
      return 'List of cameras:\n    (none)'
  }
}

/** Resolves with the exit code when the server ends: 0, or 1 after an error that it printed. */
export async function runScrcpyServer(invocation: ScrcpyInvocation): Promise<number> {
  const log = new ServerLog(invocation.stdout, invocation.stderr)
  try {
    const protocol = protocolOf(invocation.serverVersion)
    const options = parseOptions(invocation.args, protocol)
    log.threshold = options.logLevel
    for (const key of options.unknown) log.print('warn', `Unknown server option: ${key}`)
    log.print(
      'info',
      `Device: [${deviceModel.maker}] ${deviceModel.maker} ${invocation.model} (Android ${deviceModel.release})`,
    )
    if (options.cleanup) await invocation.removeJar()
    if (options.lists.length > 0) {
      for (const list of options.lists) log.print('info', listOf(list, invocation))
      return 0
    }
    await serve(invocation, options, protocol, log)
    return 0
  } catch (error) {
    if (invocation.signal.aborted) return 0
    const text = error instanceof Error ? error.message : String(error)
    const trace = error instanceof OptionError ? `\njava.lang.IllegalArgumentException: ${text}` : ''
    log.print('error', text + trace)
    return 1
  } finally {
    await log.flushed()
  }
}
