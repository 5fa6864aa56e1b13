/**
 * `am instrument`: starts the only instrumentation that this phone can run,
 * Appium's UiAutomator2 server, when its two APKs are installed. Formats: AOSP
 * `Instrument` and AndroidX `AndroidJUnitRunner`.
 */
import type { Android } from '../android/android.js'
import { AddressInUse } from '../android/sockets.js'
import { runServer } from './server.js'

const serverPackage = 'io.appium.uiautomator2.server'
const testPackage = 'io.appium.uiautomator2.server.test'
const runner = 'androidx.test.runner.AndroidJUnitRunner'
const testClass = `${testPackage}.AppiumUiAutomator2Server`

interface InstrumentIo {
  android: Android
  /** The process of `am` that owns the UiAutomation, which ends with the process. */
  signal: AbortSignal
  out(text: string): Promise<void>
  err(text: string): Promise<void>
}

interface Options {
  component: string
  wait: boolean
  raw: boolean
}

const withOne = new Set(['-p', '-P', '-f', '--user', '--abi', '--start-profiler', '--sampling'])

function parse(args: readonly string[]): Options {
  const options: Options = { component: '', wait: false, raw: false }
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '-w') options.wait = true
    else if (arg === '-r') options.raw = true
    else if (arg === '-e') rest.splice(0, 2)
    else if (withOne.has(arg)) rest.shift()
    else if (!arg.startsWith('-')) options.component = arg
  }
  return options
}

export async function instrument(io: InstrumentIo, args: readonly string[]): Promise<number> {
  const options = parse(args)
  const [name = '', className = ''] = options.component.split('/')
  const full = className.startsWith('.') ? name + className : className
  const known = io.android.installed.find(name)?.apk.instrumentations.find((each) => each.name === full)
  if (known === undefined) return failed(io, options, 'Unable to find instrumentation info for')
  const target = io.android.installed.find(known.target)
  if (target === null) return failed(io, options, 'Unable to find instrumentation target package')
  // Without -w there is no UiAutomation: the test ends before it starts, without a report.
  if (!options.wait) return 0
  if (name !== testPackage || full !== runner || known.target !== serverPackage) {
    await io.err('am: this phone is virtual and runs only the instrumentation of the UiAutomator2 server\n')
    return crashed(io)
  }
  io.android.forceStop(known.target)
  await io.out(options.raw ? status(1) : `\n${testClass}:`)
  if (io.android.missing.has('ui-server')) return crashed(io)
  const { versionName, versionCode } = target.apk
  const startedAt = Date.now()
  const ended = await runUntilStopped(io, target.uid, { name: versionName, code: versionCode })
  if (ended === 'stopped') return crashed(io)
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(3)
  await io.out(
    options.raw
      ? `${status(0)}INSTRUMENTATION_RESULT: stream=\n\nTime: ${seconds}\n\nOK (1 test)\n\n\nINSTRUMENTATION_CODE: -1\n`
      : `.\n\nTime: ${seconds}\n\nOK (1 test)\n\n\n`,
  )
  return 0
}

/**
 * `finished`: the server's client ended the session. `stopped`: a force stop ended the server, or `am` was
 * killed.
 */
async function runUntilStopped(
  { android, signal }: InstrumentIo,
  uid: number,
  version: { name: string; code: number },
): Promise<'finished' | 'stopped'> {
  const stop = new AbortController()
  const onAbort = () => stop.abort()
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) stop.abort()
  const ended = android.running.begin(serverPackage, uid, onAbort)
  android.uiAutomation = serverPackage
  try {
    await runServer({ android, signal: stop.signal, version })
    return stop.signal.aborted ? 'stopped' : 'finished'
  } catch (error) {
    if (!(error instanceof AddressInUse)) throw error
    return 'stopped'
  } finally {
    android.uiAutomation = null
    signal.removeEventListener('abort', onAbort)
    ended()
  }
}

async function failed(io: InstrumentIo, { component }: Options, why: string): Promise<number> {
  const error = `${why}: ComponentInfo{${component}}`
  await io.out(
    `INSTRUMENTATION_STATUS: Error=${error}\nINSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS_CODE: -1\n`,
  )
  await io.err(
    `android.util.AndroidException: INSTRUMENTATION_FAILED: ${component}\n\tat com.android.commands.am.Instrument.run(Instrument.java:544)\n`,
  )
  return 1
}

async function crashed(io: InstrumentIo): Promise<number> {
  await io.out('INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n')
  return 0
}

function status(code: 0 | 1): string {
  return [
    `INSTRUMENTATION_STATUS: class=${testClass}`,
    'INSTRUMENTATION_STATUS: current=1',
    'INSTRUMENTATION_STATUS: id=AndroidJUnitRunner',
    'INSTRUMENTATION_STATUS: numtests=1',
    `INSTRUMENTATION_STATUS: stream=${code === 1 ? `\n${testClass}:` : '.'}`,
    'INSTRUMENTATION_STATUS: test=startServer',
    `INSTRUMENTATION_STATUS_CODE: ${code}\n`,
  ].join('\n')
}
