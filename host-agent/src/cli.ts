#!/usr/bin/env node
/** `phonerack-agent`: runs the agent, or one command and ends. */
import { runCommand } from './service/command.js'

const outcome = await runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  stdin: process.stdin,
})
if ('run' in outcome) {
  Object.assign(process.env, outcome.run)
  await import('./main.js')
} else {
  process.exitCode = outcome.exitCode
  // An open standard input, from which a token was read, would keep the process alive.
  process.stdin.destroy()
}
