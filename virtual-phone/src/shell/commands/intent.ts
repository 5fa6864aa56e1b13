/** Parses intents from the arguments of `am`, and prints them like Android. */
import type { Intent } from '../../android/world.js'
import { decode, encode } from '../bytes.js'
import type { CommandIo } from '../command.js'

interface ParsedIntent {
  intent: Intent
  /** `-W`, `-S` and the other options of `am start` without a value. */
  options: ReadonlySet<string>
}

class IntentError extends Error {}

/** Runs a function that parses an intent. Invalid arguments are reported as by Android's shell commands. */
export async function withIntent(io: CommandIo, verb: string, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof IntentError)) throw error
    await io.err(
      encode(
        `\nException occurred while executing '${verb}':\njava.lang.IllegalArgumentException: ${error.message}\n`,
      ),
    )
    return 255
  }
}

const withTwo = new Set([
  '--es',
  '-e',
  '--ez',
  '--ei',
  '--el',
  '--ef',
  '--ed',
  '--eu',
  '--ecn',
  '--esa',
  '--eia',
  '--ela',
  '--efa',
])
const withOne = new Set([
  '-f',
  '-t',
  '-i',
  '--user',
  '--display',
  '--windowingMode',
  '--activityType',
  '--task',
  '-R',
  '-P',
  '--start-profiler',
  '--sampling',
  '--receiver-permission',
  '--esn',
  '--splashscreen-icon',
  '--allow-fgs-start-reason',
])
const alone =
  /^(-W|-S|-D|-N|--streaming|--activity-.*|--include-stopped-packages|--exclude-stopped-packages|--grant-.*|--debug-.*|--receiver-.*|--selector|--attach-agent.*|--track-allocation|--async|--ungrouped)$/

/** Converts `com.a/.B` to the package and the full class name; null for an invalid component. */
export function parseComponent(text: string): { package: string; className: string } | null {
  const at = text.indexOf('/')
  if (at <= 0 || at === text.length - 1) return null
  const name = text.slice(0, at)
  const className = text.slice(at + 1)
  return { package: name, className: className.startsWith('.') ? name + className : className }
}

/** Returns the short form `com.a/.B`. */
export function shortComponent(packageName: string, className: string): string {
  const short = className.startsWith(`${packageName}.`) ? className.slice(packageName.length) : className
  return `${packageName}/${short}`
}

/** @throws IntentError */
export function parseIntent(args: readonly string[]): ParsedIntent {
  const categories: string[] = []
  const extras: Record<string, string> = {}
  const intent: { -readonly [K in keyof Intent]: Intent[K] } = { categories, extras }
  const options = new Set<string>()
  const rest = args.map(decode)
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const value = () => {
      const next = rest.shift()
      if (next === undefined) throw new IntentError(`Argument expected after "${arg}"`)
      return next
    }
    if (arg === '-a') intent.action = value()
    else if (arg === '-d') intent.data = value()
    else if (arg === '-p') intent.package = value()
    else if (arg === '-c') categories.push(value())
    else if (arg === '-n') {
      const name = value()
      const component = parseComponent(name)
      if (component === null) throw new IntentError(`Bad component name: ${name}`)
      intent.component = component
    } else if (withTwo.has(arg)) {
      const key = value()
      extras[key] = value()
    } else if (withOne.has(arg)) value()
    else if (alone.test(arg)) options.add(arg)
    else if (arg.startsWith('-')) throw new IntentError(`Unknown option: ${arg}`)
    else {
      const component = parseComponent(arg)
      if (arg.includes(':')) intent.data = arg
      else if (component !== null) intent.component = component
      else intent.package = arg
    }
  }
  const empty =
    intent.action === undefined &&
    intent.data === undefined &&
    intent.component === undefined &&
    intent.package === undefined
  if (empty) throw new IntentError('No intent supplied')
  const bare = intent.action === undefined && intent.component === undefined
  if (bare && intent.data !== undefined) intent.action = 'android.intent.action.VIEW'
  else if (bare) {
    intent.action = 'android.intent.action.MAIN'
    categories.push('android.intent.category.LAUNCHER')
  }
  return { intent, options }
}

/** Formats an intent like `Intent.toString()`. `flags` contains the flags that Android has added. */
export function intentText(intent: Intent, flags = ''): string {
  const parts: string[] = []
  if (intent.action !== undefined) parts.push(`act=${intent.action}`)
  if (intent.categories.length > 0) parts.push(`cat=[${intent.categories.join(',')}]`)
  if (intent.data !== undefined) parts.push(`dat=${intent.data}`)
  if (flags !== '') parts.push(`flg=${flags}`)
  if (intent.package !== undefined) parts.push(`pkg=${intent.package}`)
  if (intent.component !== undefined)
    parts.push(`cmp=${shortComponent(intent.component.package, intent.component.className)}`)
  if (Object.keys(intent.extras).length > 0) parts.push('(has extras)')
  return `Intent { ${parts.join(' ')} }`
}
