/** All commands of the phone, by their name in `/system/bin`. */
import type { CommandTable } from '../command.js'
import { amCommands } from './am.js'
import { appProcessCommands } from './app-process.js'
import { cardCommands } from './dump-cards.js'
import { cmdCommands } from './cmd.js'
import { dateCommands } from './date.js'
import { digestCommands } from './digest.js'
import { dumpsysCommands } from './dumpsys.js'
import { diskCommands } from './disk.js'
import { fileCommands } from './files.js'
import { filterCommands } from './filters.js'
import { findCommands } from './find.js'
import { grepCommands } from './grep.js'
import { inputCommands } from './input.js'
import { ipCommands } from './ip.js'
import { logCommands } from './logcat.js'
import { monkeyCommands } from './monkey.js'
import { ncCommands } from './nc.js'
import { listingCommands } from './listing.js'
import { pathCommands } from './paths.js'
import { pmCommands } from './pm.js'
import { propertyCommands } from './props.js'
import { screenCommands } from './screen.js'
import { sedCommands } from './sed.js'
import { smallCommands } from './small.js'
import { shCommands } from './sh.js'
import { systemCommands } from './system.js'
import { testCommands } from './test.js'
import { textCommands } from './text.js'

export const commands: CommandTable = {
  ...textCommands,
  ...testCommands,
  ...fileCommands,
  ...listingCommands,
  ...findCommands,
  ...diskCommands,
  ...pathCommands,
  ...dateCommands,
  ...smallCommands,
  ...propertyCommands,
  ...shCommands,
  ...grepCommands,
  ...sedCommands,
  ...filterCommands,
  ...digestCommands,
  ...systemCommands,
  ...inputCommands,
  ...ipCommands,
  ...ncCommands,
  ...amCommands,
  ...logCommands,
  ...monkeyCommands,
  ...pmCommands,
  ...cmdCommands,
  ...cardCommands,
  ...dumpsysCommands,
  ...screenCommands,
  ...appProcessCommands,
}
