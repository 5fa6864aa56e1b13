// Installs real mksh and toybox where they are missing and we may: the virtual phone's shell is compared with them.
import process from 'node:process'
import { aptInstall, canAptInstall } from '../../launcher/dist/programs/apt.js'
import { findProgram } from '../../launcher/dist/programs/path.js'

const missing = ['mksh', 'toybox'].filter((name) => findProgram(name) === null)
if (missing.length > 0 && canAptInstall()) await aptInstall(missing)
else if (missing.length > 0) {
  process.stdout.write(
    `Not installed: ${missing.join(', ')}. On Debian or Ubuntu: apt-get install ${missing.join(' ')}\n`,
  )
  process.exitCode = 1
}
