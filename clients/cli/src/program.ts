/** The tree of commands. */
import { Command } from 'commander'
import { App, type RunLine } from './app.js'
import { addAccountCommands } from './commands/account.js'
import { addApiCommand } from './commands/api.js'
import { addAppCommands } from './commands/app-store.js'
import { addCompletionCommand } from './commands/completion.js'
import { addDoctorCommand } from './commands/doctor.js'
import { addEventsCommand } from './commands/events.js'
import { addMcpCommand } from './commands/mcp.js'
import { addPhoneCommands } from './commands/phone.js'
import { addSignInCommands } from './commands/sign-in.js'
import { addWebhookCommands } from './commands/webhook.js'
import type { Io } from './io.js'
import { version, type Session } from './session.js'

const footer = `
A phone is named by id or name, as the first operand; \`phonerack phone use\` sets
the default. PHONERACK_API_KEY, PHONERACK_BASE_URL, PHONERACK_CONTEXT and
PHONERACK_PHONE override the settings; PHONERACK_PROFILE is the default of
--profile. Durations: 500ms, 10s, 5m, 1h; a number alone is seconds.
Exit codes: 0 done, 1 other, 2 wrong command, 3 key, 4 permission, 5 not found,
6 conflict, 7 credit, 8 rate limit, 9 the action failed, 10 phone,
11 no connection, 12 service, 13 outcome unknown, 130 interrupted.`

/** @param shared the session of the prompt */
export function createProgram(io: Io, shared: Session | null, runLine: RunLine): Command {
  const program = new Command('phonerack')
    .description('Rent Android phones, read their screens, act on them.')
    .version(version)
    .option('--json', 'print one object of the API on stdout, errors on stderr')
    .option('-q, --quiet', 'print only ids and data')
    .option('-y, --yes', 'answer confirmations with yes')
    .option('--context <name>', 'use this context instead of the environment and the current one')
    .option('--profile <name>', 'limit the key for this command: `guarded` or `read-only`')
    .addHelpText('after', footer)
    .showSuggestionAfterError()
    .exitOverride()
  const app = new App(io, shared, runLine)
  addSignInCommands(program, app)
  addDoctorCommand(program, app)
  addPhoneCommands(program, app)
  addAppCommands(program, app)
  addAccountCommands(program, app)
  addEventsCommand(program, app)
  addWebhookCommands(program, app)
  addApiCommand(program, app)
  addMcpCommand(program, app)
  addCompletionCommand(program, app)
  return program
}
