/** Files of the system image and of `/proc` that are generated when they are read. */
import type { Android } from './android.js'

export function generatedFiles(android: Android): Record<string, () => Buffer> {
  const text = (make: () => string) => () => Buffer.from(make())
  return {
    '/proc/cpuinfo': text(() =>
      [0, 1, 2, 3].map((n) => `processor\t: ${n}\nmodel name\t: Phonerack\n\n`).join(''),
    ),
    '/proc/meminfo': text(
      () => 'MemTotal:        8000000 kB\nMemFree:         3200000 kB\nMemAvailable:    5200000 kB\n',
    ),
    '/proc/uptime': text(
      () => `${(android.uptimeMs / 1000).toFixed(2)} ${(android.uptimeMs / 500).toFixed(2)}\n`,
    ),
    '/proc/net/unix': text(() => unixSockets(android.sockets.addresses())),
    '/proc/sys/kernel/random/boot_id': text(() => `${android.bootId}\n`),
    '/proc/version': text(() => 'Linux version 6.1.23-android14-phonerack\n'),
    '/proc/mounts': text(
      () =>
        '/dev/block/dm-5 / ext4 ro 0 0\n/dev/block/dm-45 /data f2fs rw 0 0\n/dev/fuse /storage/emulated fuse rw 0 0\n',
    ),
    '/system/build.prop': text(() =>
      android.properties
        .all()
        .filter(([name]) => name.startsWith('ro.build.') || name.startsWith('ro.product.'))
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    ),
    '/system/etc/hosts': text(() => '127.0.0.1       localhost\n::1             ip6-localhost\n'),
  }
}

/**
 * Listeners in Linux's notation: abstract names begin with an `@`. An app with a web view has such a socket;
 * the apps of this phone do not.
 */
function unixSockets(addresses: readonly string[]): string {
  const abstract = addresses.flatMap((address) => /^localabstract:(.*)$/s.exec(address)?.[1] ?? [])
  const paths = ['/dev/socket/zygote', '/dev/socket/logd', ...abstract.map((name) => `@${name}`)]
  const lines = paths.map(
    (path, index) =>
      `0000000000000000: 00000002 00000000 00010000 0001 01 ${String(11_000 + index).padStart(5)} ${path}\n`,
  )
  return `Num       RefCount Protocol Flags    Type St Inode Path\n${lines.join('')}`
}
