/** All commands of the phone, by the name that they have in `/system/bin`. */
import type { CommandTable } from '../command.js'
import { dateCommands } from './date.js'
import { fileCommands } from './files.js'
import { listingCommands } from './listing.js'
import { pathCommands } from './paths.js'
import { propertyCommands } from './props.js'
import { shCommands } from './sh.js'
import { testCommands } from './test.js'
import { textCommands } from './text.js'

export const commands: CommandTable = {
  ...textCommands,
  ...testCommands,
  ...fileCommands,
  ...listingCommands,
  ...pathCommands,
  ...dateCommands,
  ...propertyCommands,
  ...shCommands,
}
