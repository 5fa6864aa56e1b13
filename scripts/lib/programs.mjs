// Installs the programs that tests run where they are missing and this process may; otherwise names them.
import process from 'node:process'
import { aptInstall, canAptInstall } from '../../launcher/dist/programs/apt.js'
import { findProgram } from '../../launcher/dist/programs/path.js'
import { withoutCluster } from '../../launcher/dist/programs/postgres.js'

/** Names of each program, any of which will do, and its Debian package. */
const wanted = [
  [['adb'], 'adb'],
  [['ffmpeg'], 'ffmpeg'],
  [['ffprobe'], 'ffmpeg'],
  // The virtual phone's shell is compared with real ones.
  [['mksh'], 'mksh'],
  [['toybox'], 'toybox'],
  [['ip'], 'iproute2'],
  [['curl'], 'curl'],
  [['openssl'], 'openssl'],
  [['nats-server'], 'nats-server'],
  // The rules for the network of phones.
  [['nft'], 'nftables'],
  // The packages: built, and their units checked.
  [['dpkg-deb'], 'dpkg'],
  [['systemd-analyze'], 'systemd'],
  [['ps'], 'procps'],
  // A server that pg_dump can read, for backups; the embedded one is newer than Debian's pg_dump.
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
      // Has the setting by which the next package creates no cluster.
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
