/** `./scripts/ctl`: the main program. */
import { runCtl } from './run.js'

process.exitCode = await runCtl(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  environment: process.env,
})
