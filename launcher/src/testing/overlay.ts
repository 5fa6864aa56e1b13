/**
 * Runs a script as root on a copy of this system: an overlay in a mount namespace. The script changes nothing
 * outside.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Whether this machine can run it: Linux, as root, with overlayfs. */
export function hasOverlays(): boolean {
  try {
    runInOverlay('true', {})
    return true
  } catch {
    return false
  }
}

/**
 * Returns the lines of the script's output. The script ends at its first failed command.
 * @param files copied into the system first: their path there, and here
 * @throws Error with its output when it fails
 */
export function runInOverlay(script: string, files: Readonly<Record<string, string>>): string[] {
  const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-overlay-'))
  try {
    const inside = path.join(dir, 'script')
    writeFileSync(inside, `set -e\n${script}\n`)
    const copies = Object.entries({ ...files, '/root/script': inside })
    const outer = [
      'set -e',
      'mkdir "$1"',
      'mount -t tmpfs none "$1"',
      'mkdir "$1/upper" "$1/work" "$1/root"',
      'mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"',
      'mount -t proc none "$1/root/proc"',
      'mount --rbind /dev "$1/root/dev"',
      'root=$1/root',
      'shift',
      'while [ $# -gt 0 ]; do cp "$1" "$root$2"; shift 2; done',
      'exec chroot "$root" sh /root/script',
    ]
    const given = copies.flatMap(([to, from]) => [from, to])
    // When the process namespace ends, every process of the script ends.
    const args = [
      '--mount',
      '--pid',
      '--fork',
      '--propagation',
      'private',
      'sh',
      '-c',
      outer.join('\n'),
      'sh',
      path.join(dir, 'files'),
    ]
    return execFileSync('unshare', [...args, ...given], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    })
      .trimEnd()
      .split('\n')
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
