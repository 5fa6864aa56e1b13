/**
 * `monkey`, with which tools open an app by its package. The first event starts a main activity; random events after it are
 * refused. Source of options, messages and exit codes: AOSP `cmds/monkey` and `com.android.commands.monkey.Monkey`.
 */
import { randomInt } from 'node:crypto'
import type { Android } from '../../android/android.js'
import type { AppEntry } from '../../android/world.js'
import { encode, decode } from '../bytes.js'
import type { CommandIo, CommandTable } from '../command.js'
import { startIntent } from './am.js'

const launcherCategory = 'android.intent.category.LAUNCHER'
const homeCategory = 'android.intent.category.HOME'
const homePackage = 'com.android.launcher3'

const usage = `usage: monkey [-p ALLOWED_PACKAGE [-p ALLOWED_PACKAGE] ...]
              [-c MAIN_CATEGORY [-c MAIN_CATEGORY] ...]
              [--ignore-crashes] [--ignore-timeouts]
              [--ignore-security-exceptions]
              [--monitor-native-crashes] [--ignore-native-crashes]
              [--kill-process-after-error] [--hprof]
              [--throttle MILLISEC] [--randomize-throttle]
              [--pct-touch PERCENT] [--pct-motion PERCENT]
              [--pct-syskeys PERCENT] [--pct-appswitch PERCENT]
              [-s SEED]
              [-v [-v] ...]
              COUNT
`
const withValue = /^(?:-s|--throttle|--pct-\w+)$/
const alone =
  /^(?:-v|--ignore-\w+(?:-\w+)*|--monitor-native-crashes|--kill-process-after-error|--hprof|--randomize-throttle)$/

/** The exit code is 255, with the usage. */
class OptionError extends Error {}

interface Wanted {
  packages: ReadonlySet<string>
  categories: readonly string[]
  count: number
}

/** @throws OptionError */
function parse(args: readonly string[]): Wanted {
  const packages = new Set<string>()
  const categories: string[] = []
  const rest = [...args]
  for (let option = rest[0]; option?.startsWith('-') === true; option = rest[0]) {
    rest.shift()
    if (alone.test(option)) continue
    const value = option === '-p' || option === '-c' || withValue.test(option) ? rest.shift() : null
    if (value === null) throw new OptionError(`Unknown option: ${option}`)
    if (value === undefined)
      throw new OptionError(`java.lang.IllegalArgumentException: Option "${option}" requires an argument`)
    if (option === '-p') packages.add(value)
    if (option === '-c') categories.push(value)
  }
  const [count] = rest
  if (count === undefined) throw new OptionError('Count not specified')
  if (!/^\d+$/.test(count)) throw new OptionError(`Count is not a number: "${count}"`)
  const defaults = [launcherCategory, 'android.intent.category.MONKEY']
  return { packages, categories: categories.length === 0 ? defaults : categories, count: Number(count) }
}

/** The apps whose main activity has the category. */
function appsOf({ world }: Android, category: string): readonly AppEntry[] {
  if (category !== launcherCategory && category !== homeCategory) return []
  return world.launchableApps().filter((app) => (app.package === homePackage) === (category === homeCategory))
}

async function monkey(io: CommandIo): Promise<number> {
  const { android } = io
  const args = io.args.map(decode)
  await io.out(encode(args.map((arg) => `  bash arg: ${arg}\n`).join('')))
  await io.err(encode(`args: [${args.join(', ')}]\n${args.map((arg) => ` arg: "${arg}"\n`).join('')}`))
  const { packages, categories, count } = parse(args)
  await io.err(encode([...packages, ...categories].map((value) => `data="${value}"\n`).join('')))
  const found = categories.flatMap((category) => appsOf(android, category).map((app) => ({ app, category })))
  const allowed = found.filter(({ app }) => packages.size === 0 || packages.has(app.package))
  const chosen = allowed[allowed.length === 0 ? 0 : randomInt(allowed.length)]
  if (chosen === undefined) {
    await io.out('** No activities found to run, monkey aborted.\n')
    return 252
  }
  if (count > 1) {
    await io.err('** Error: this phone is made of software and injects no random events. Use COUNT 1.\n')
    return 255
  }
  const begin = performance.now()
  const { app, category } = chosen
  if (count === 1) {
    const component = { package: app.package, className: app.launcherActivity ?? '' }
    startIntent(io, { action: 'android.intent.action.MAIN', categories: [category], extras: {}, component })
  }
  // It ends with `thawRotation`, which leaves automatic rotation on.
  android.settings.put('system', 'accelerometer_rotation', '1')
  const elapsedMs = Math.max(1, Math.round(performance.now() - begin))
  await io.out(
    `Events injected: ${count}\n` +
      `## Network stats: elapsed time=${elapsedMs}ms (0ms mobile, 0ms wifi, ${elapsedMs}ms not connected)\n`,
  )
  return 0
}

export const monkeyCommands: CommandTable = {
  async monkey(io) {
    try {
      return await monkey(io)
    } catch (error) {
      if (!(error instanceof OptionError)) throw error
      await io.err(encode(`** Error: ${error.message}\n${usage}`))
      return 255
    }
  },
}
