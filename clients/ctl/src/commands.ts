/** Every command of `ctl` with its words, flags, effect and output. */
import type { OperatorClient } from './operator/client.js'
import { activityCommands } from './commands/activity.js'
import { auditCommands } from './commands/audit.js'
import { deviceCommands } from './commands/device.js'
import { deviceDrainCommands, hostDrainCommands } from './commands/drain.js'
import { hostCommands } from './commands/host.js'
import { keyCommands } from './commands/key.js'
import { libraryCommands } from './commands/library.js'
import { operatorCommands } from './commands/operator.js'
import { phoneCommands } from './commands/phone.js'
import { paymentCommands } from './commands/payment.js'
import { projectCommands } from './commands/project.js'
import { serviceCommands } from './commands/service.js'
import { setupCommands } from './commands/setup.js'

/** True for a switch, else the placeholder of its value in the usage. */
export type Flag = true | string

export interface Input {
  words: readonly string[]
  flags: Readonly<Record<string, string | boolean>>
  /** Prints a line for a person before the result. Prints nothing with `--json`. */
  say: (text: string) => void
}

export interface Result {
  /** The output of `--json`. */
  json: unknown
  /** Text for a person, without a final line break. Control characters are removed when it is printed. */
  text: string
  /** Whether the service refused a part of the command; omitted: false. */
  hasFailed?: boolean
}

export interface Command {
  name: string
  about: string
  /** Names of the words that follow, all required; if the last ends in `...`, it takes one or more; `[WORD...]`: any number. */
  words: readonly string[]
  flags: Readonly<Record<string, Flag>>
  /** Names of the required flags; omitted: none. */
  required?: readonly string[]
  /** @throws UsageError for invalid values */
  run(input: Input, operator: () => OperatorClient): Promise<Result>
}

export const commands: readonly Command[] = [
  ...hostCommands,
  ...hostDrainCommands,
  ...deviceCommands,
  ...deviceDrainCommands,
  ...phoneCommands,
  ...projectCommands,
  ...keyCommands,
  ...libraryCommands,
  ...activityCommands,
  ...operatorCommands,
  ...setupCommands,
  ...auditCommands,
  ...paymentCommands,
  ...serviceCommands,
]
