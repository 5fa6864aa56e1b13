/** `am`, and `cmd activity`: starting and stopping apps. Source of forms: AOSP `ActivityManagerShellCommand`. */
import { findPackage } from '../../android/packages.js'
import { decode, encode } from '../bytes.js'
import { type CommandIo, type CommandRun, type CommandTable } from '../command.js'
import { IntentError, intentText, parseIntent, shortComponent } from './intent.js'

async function start(io: CommandIo, args: readonly string[]): Promise<number> {
  const { world } = io.android
  const { intent, options } = parseIntent(args)
  if (options.has('-S') && intent.component !== undefined) world.forceStop(intent.component.package)
  const begin = performance.now()
  await io.out(encode(`Starting: ${intentText(intent)}\n`))
  const result = world.startActivity(intent)
  if (result.kind === 'not_found') {
    if (intent.component === undefined) {
      await io.err(
        encode(`Error: Activity not started, unable to resolve ${intentText(intent, '0x10000000')}\n`),
      )
    } else {
      const name = `${intent.component.package}/${intent.component.className}`
      await io.err(encode(`Error type 3\nError: Activity class {${name}} does not exist.\n`))
    }
    return 1
  }
  if (result.kind === 'delivered') {
    await io.err('Warning: Activity not started, its current task has been brought to the front\n')
  }
  if (options.has('-W')) {
    const totalMs = Math.max(1, Math.round(performance.now() - begin))
    const { window } = result
    await io.out(
      `Status: ok\nLaunchState: ${result.kind === 'started' ? 'COLD' : 'UNKNOWN (0)'}\nActivity: ${shortComponent(window.package, window.activity)}\nTotalTime: ${totalMs}\nWaitTime: ${totalMs + 2}\nComplete\n`,
    )
  }
  return 0
}

async function broadcast(io: CommandIo, args: readonly string[]): Promise<number> {
  const { intent } = parseIntent(args)
  // No app of this phone listens, so it ends as a broadcast without receivers does.
  await io.out(encode(`Broadcasting: ${intentText(intent, '0x400000')}\nBroadcast completed: result=0\n`))
  return 0
}

async function service(io: CommandIo, args: readonly string[]): Promise<number> {
  const { intent } = parseIntent(args)
  await io.out(encode(`Starting service: ${intentText(intent)}\n`))
  await io.err('Error: Not found; no service started.\n')
  return 255
}

async function instrument(io: CommandIo, args: readonly string[]): Promise<number> {
  const name = args.at(-1) ?? ''
  await io.out(
    `INSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{${name}}\nINSTRUMENTATION_STATUS_CODE: -1\n`,
  )
  await io.err(`android.util.AndroidException: INSTRUMENTATION_FAILED: ${name}\n`)
  return 1
}

/** The package after the options. */
function packageOf(args: readonly string[]): string | null {
  const at = args.indexOf('--user')
  const rest = at === -1 ? args : [...args.slice(0, at), ...args.slice(at + 2)]
  return rest[0] === undefined ? null : decode(rest[0])
}

export const am: CommandRun = async (io) => {
  const [verb = '', ...args] = io.args
  try {
    switch (verb) {
      case 'start':
      case 'start-activity':
        return await start(io, args)
      case 'startservice':
      case 'start-service':
      case 'startfgservice':
      case 'start-foreground-service':
        return await service(io, args)
      case 'stopservice':
      case 'stop-service': {
        const { intent } = parseIntent(args)
        await io.out(
          encode(`Stopping service: ${intentText(intent)}\nService not stopped: was not running.\n`),
        )
        return 0
      }
      case 'broadcast':
        return await broadcast(io, args)
      case 'instrument':
        return await instrument(io, args)
      case 'force-stop':
      case 'kill':
      case 'crash':
      case 'stop-app': {
        const name = packageOf(args)
        if (name === null) break
        io.android.world.forceStop(name)
        return 0
      }
      case 'kill-all':
      case 'wait-for-broadcast-idle':
      case 'wait-for-broadcast-barrier':
      case 'idle-maintenance':
        return 0
      case 'get-current-user':
        await io.out('0\n')
        return 0
      case 'get-uid-state':
        break
      case 'clear-debug-app':
      case 'set-debug-app':
        return 0
      case 'stack':
      case 'task':
        if (args[0] !== 'list') break
        await io.out(stackList(io))
        return 0
      case 'get-inactive':
        await io.out(`Idle=${findPackage(io.android, args[0] ?? '') === null}\n`)
        return 0
    }
  } catch (error) {
    if (!(error instanceof IntentError)) throw error
    await io.err(
      encode(
        `\nException occurred while executing '${verb}':\njava.lang.IllegalArgumentException: ${error.message}\n`,
      ),
    )
    return 255
  }
  await io.err(verb === '' ? 'Activity manager (activity) commands:\n  help\n' : `Unknown command: ${verb}\n`)
  return 255
}

function stackList(io: CommandIo): string {
  const { focused, display } = io.android.world
  const bounds = `[0,0][${display.width},${display.height}]`
  return `RootTask id=1 bounds=${bounds} displayId=0 userId=0\n  taskId=1: ${shortComponent(focused.package, focused.activity)} bounds=${bounds} userId=0 visible=true topActivity=ComponentInfo{${focused.package}/${focused.activity}}\n`
}

export const amCommands: CommandTable = { am }
