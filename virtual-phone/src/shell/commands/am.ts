/** `am`, and `cmd activity`: starts and stops apps. Source of forms: AOSP `ActivityManagerShellCommand`. */
import type { Android } from '../../android/android.js'
import { behaviourOf, sendBroadcast } from '../../helpers/behaviour.js'
import { instrument } from '../../uiautomator/instrument.js'
import { decode, encode } from '../bytes.js'
import type { Intent, StartResult } from '../../android/world.js'
import { type CommandIo, type CommandRun, type CommandTable } from '../command.js'
import { intentText, parseIntent, shortComponent, withIntent } from './intent.js'

async function start(io: CommandIo, args: readonly string[]): Promise<number> {
  const { intent, options } = parseIntent(args)
  if (options.has('-S') && intent.component !== undefined) io.android.forceStop(intent.component.package)
  const begin = performance.now()
  await io.out(encode(`Starting: ${intentText(intent)}\n`))
  const result = startIntent(io, intent)
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

/** Starts an activity of an app, of an imitated app, or of the world. */
export const startIntent = (io: CommandIo, intent: Intent): StartResult =>
  startOwn(io, intent) ?? io.android.world.startActivity(intent)

/** Starts an activity that runs and closes itself; null for all other activities. */
function startOwn({ android }: CommandIo, intent: Intent): StartResult | null {
  if (intent.action === 'android.intent.action.CALL') return dial(android, intent.data ?? '')
  const name = intent.component?.package ?? intent.package
  const className = intent.component?.className ?? android.installed.find(name ?? '')?.apk.launcherActivity
  if (name === undefined || className === undefined || className === null) return null
  const window = behaviourOf(android, name)?.startActivity(android, intent, className) ?? null
  return window === null ? null : { kind: 'started', window }
}

/** The phone dials only the carrier's code that erases all call forwarding (3GPP TS 22.030). */
function dial(android: Android, uri: string): StartResult | null {
  const { sim } = android.userData
  if (sim === null || !/^tel:(##|%23%23)002(#|%23)$/.test(uri)) return null
  sim.forwards = false
  android.changed()
  return { kind: 'started', window: android.world.focused }
}

async function broadcast(io: CommandIo, args: readonly string[]): Promise<number> {
  const { intent } = parseIntent(args)
  const { code, data } = sendBroadcast(io.android, intent)
  const result = data === null ? `result=${code}` : `result=${code}, data="${data}"`
  await io.out(encode(`Broadcasting: ${intentText(intent, '0x400000')}\nBroadcast completed: ${result}\n`))
  return 0
}

async function startService(io: CommandIo, args: readonly string[]): Promise<number> {
  const { intent } = parseIntent(args)
  await io.out(encode(`Starting service: ${intentText(intent)}\n`))
  const { component } = intent
  const behaviour = component === undefined ? null : behaviourOf(io.android, component.package)
  if (component !== undefined && behaviour?.startService(io.android, intent, component.className) === true)
    return 0
  const declared = io.android.installed
    .find(component?.package ?? '')
    ?.apk.services.some((each) => each.name === component?.className)
  await io.err(
    declared === true
      ? 'Error: this phone is virtual and runs no code of apps; no service started.\n'
      : 'Error: Not found; no service started.\n',
  )
  return 255
}

async function stopService(io: CommandIo, args: readonly string[]): Promise<number> {
  const { intent } = parseIntent(args)
  const { package: name = '', className = '' } = intent.component ?? {}
  const running = io.android.running.findService(name, className)
  running?.stop()
  const outcome = running === null ? 'Service not stopped: was not running.' : 'Service stopped'
  await io.out(encode(`Stopping service: ${intentText(intent)}\n${outcome}\n`))
  return 0
}

/** Returns the package after the options. */
function packageOf(args: readonly string[]): string | null {
  const at = args.indexOf('--user')
  const rest = at === -1 ? args : [...args.slice(0, at), ...args.slice(at + 2)]
  return rest[0] === undefined ? null : decode(rest[0])
}

const am: CommandRun = (io) => {
  const [verb = '', ...args] = io.args
  return withIntent(io, verb, () => run(io, verb, args))
}

async function run(io: CommandIo, verb: string, args: readonly string[]): Promise<number> {
  switch (verb) {
    case 'start':
    case 'start-activity':
      return await start(io, args)
    case 'startservice':
    case 'start-service':
    case 'startfgservice':
    case 'start-foreground-service':
      return await startService(io, args)
    case 'stopservice':
    case 'stop-service':
      return await stopService(io, args)
    case 'broadcast':
      return await broadcast(io, args)
    case 'instrument':
      return await instrument(io, args.map(decode))
    case 'force-stop':
    case 'kill':
    case 'crash':
    case 'stop-app': {
      const name = packageOf(args)
      if (name === null) break
      io.android.forceStop(name)
      return 0
    }
    case 'get-current-user':
      await io.out('0\n')
      return 0
  }
  await io.err(verb === '' ? 'Activity manager (activity) commands:\n  help\n' : `Unknown command: ${verb}\n`)
  return 255
}

export const amCommands: CommandTable = { am }
