/**
 * `monkey -p PACKAGE -c CATEGORY 1`, with which tools open an app by its package. Random events and the other options are
 * refused. Source of messages and exit codes: AOSP `com.android.commands.monkey.Monkey`.
 */
import { encode, decode } from '../bytes.js'
import { type CommandIo, type CommandTable, UsageError } from '../command.js'
import { startIntent } from './am.js'
import { parseOptions } from './options.js'

const launcherCategory = 'android.intent.category.LAUNCHER'
const homePackage = 'com.android.launcher3'

async function monkey(io: CommandIo): Promise<number> {
  const { world, settings } = io.android
  const { values, operands } = parseOptions(io, 'v', 'pc')
  const { p: name, c: category = launcherCategory } = values
  if (name === undefined || category !== launcherCategory || operands.join() !== '1')
    throw new UsageError(`this phone is virtual and supports only -p PACKAGE -c ${launcherCategory} 1`, 255)
  const args = io.args.map(decode)
  await io.out(encode(args.map((arg) => `  bash arg: ${arg}\n`).join('')))
  await io.err(encode(`args: [${args.join(', ')}]\n${args.map((arg) => ` arg: "${arg}"\n`).join('')}`))
  const app = world
    .launchableApps()
    .find((each) => each.package === decode(name) && each.package !== homePackage)
  if (app === undefined) {
    await io.out('** No activities found to run, monkey aborted.\n')
    return 252
  }
  const component = { package: app.package, className: app.launcherActivity ?? '' }
  startIntent(io, { action: 'android.intent.action.MAIN', categories: [category], extras: {}, component })
  // The command ends with `thawRotation`, which leaves automatic rotation on.
  settings.put('system', 'accelerometer_rotation', '1')
  await io.out(
    'Events injected: 1\n## Network stats: elapsed time=1ms (0ms mobile, 0ms wifi, 1ms not connected)\n',
  )
  return 0
}

export const monkeyCommands: CommandTable = { monkey }
