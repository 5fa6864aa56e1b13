/** `./scripts/ctl`: the main program. */
import { checkout, namedAsPackages } from './place.js'
import { runCtl } from './run.js'

const argv = process.argv.slice(2)
// Output for programs stays unchanged.
const said = checkout === null && !argv.includes('--json') ? namedAsPackages : (text: string) => text

process.exitCode = await runCtl(argv, {
  out: (text) => process.stdout.write(said(text)),
  err: (text) => process.stderr.write(said(text)),
  environment: process.env,
})
