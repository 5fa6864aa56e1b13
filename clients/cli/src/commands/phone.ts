/** `phone …`. Commands on a phone take its id or name as the first operand. */
import type { Command } from 'commander'
import type { App } from '../app.js'
import { usageOf } from '../phone-operand.js'
import { addPhoneBatchCommands } from './phone-batch.js'
import { addPhoneDeviceCommands } from './phone-device.js'
import { addPhoneFileCommands } from './phone-files.js'
import { addPhoneInputCommands } from './phone-input.js'
import { addPhoneInstallCommands } from './phone-install.js'
import { addPhoneLifeCommands } from './phone-life.js'
import { addPhoneListCommands } from './phone-list.js'
import { addPhonePeopleCommands } from './phone-people.js'
import { addPhoneReportCommands } from './phone-reports.js'
import { addPhoneScreenCommands } from './phone-screen.js'
import { addPhonePromptCommand } from './phone-prompt.js'
import { addPhoneShellCommand } from './phone-shell.js'
import { addPhoneStepCommands } from './phone-steps.js'

export function addPhoneCommands(program: Command, app: App): void {
  const phone = program.command('phone').description('rent, read and use phones')
  addPhoneLifeCommands(phone, app)
  addPhoneListCommands(phone, app)
  addPhoneScreenCommands(phone, app)
  addPhoneInputCommands(phone, app)
  addPhoneInstallCommands(phone, app)
  addPhoneFileCommands(phone, app)
  addPhoneDeviceCommands(phone, app)
  addPhonePeopleCommands(phone, app)
  addPhoneReportCommands(phone, app)
  addPhoneStepCommands(phone, app)
  addPhoneBatchCommands(phone, app)
  addPhoneShellCommand(phone, app)
  addPhonePromptCommand(phone, app)
  for (const command of phone.commands) command.usage(usageOf(command))
}
