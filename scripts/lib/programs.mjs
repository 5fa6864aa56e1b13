// Installs missing programs that tests run, if this process may; otherwise prints their names.
import process from 'node:process'
import { aptInstall, canAptInstall } from '../../launcher/dist/programs/apt.js'
import { findProgram } from '../../launcher/dist/programs/path.js'
import { withoutCluster } from '../../launcher/dist/programs/postgres.js'

/** The names of each program, any of which is enough, and its Debian package. */
const wanted = [
  [['adb'], 'adb'],
  [['ffmpeg'], 'ffmpeg'],
  [['ffprobe'], 'ffmpeg'],
  // The virtual phone's shell is compared with these shells.
  [['mksh'], 'mksh'],
  [['toybox'], 'toybox'],
  [['ip'], 'iproute2'],
  [['curl'], 'curl'],
  [['openssl'], 'openssl'],
  [['nats-server'], 'nats-server'],
  // Tests load the rules for the network of phones with this program.
  [['nft'], 'nftables'],
  // Tests build the packages, and check their units.
  [['dpkg-deb'], 'dpkg'],
  [['systemd-analyze'], 'systemd'],
  [['ps'], 'procps'],
  // Backups need a server that pg_dump can read, since the embedded server is newer than Debian's pg_dump.
  [['pg_lsclusters'], 'postgresql'],
  [['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'], 'chromium'],
]

const missing = () => [
  ...new Set(
    wanted
      .filter(([names]) => names.every((name) => findProgram(name, ['/usr/sbin', '/sbin']) === null))
      .filter(([, name]) => name !== 'chromium' || !process.env.CHROMIUM_BIN)
      .map(([, name]) => name),
  ),
]

let reason = ''
const before = missing()
if (before.length > 0 && canAptInstall()) {
  process.stdout.write(`Installing ${before.join(', ')}\n`)
  try {
    if (before.includes('postgresql')) {
      // Sets the option with which the next package creates no cluster.
      await aptInstall(['postgresql-common'])
      await withoutCluster(() => aptInstall(before))
    } else await aptInstall(before)
  } catch (error) {
    reason = `${error instanceof Error ? error.message : String(error)}\n`
  }
}
const after = missing()
if (after.length > 0) {
  process.stdout.write(
    `${reason}Not installed: ${after.join(', ')}. On Debian or Ubuntu: sudo apt-get install ${after.join(' ')}\n`,
  )
  process.exitCode = 1
}
