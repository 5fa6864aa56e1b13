/**
 * A machine of a test: a copy of this system in Linux namespaces, with its own address, files, users and
 * processes. All processes end with the machine, and the machine ends with the test's process.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { firstLine, type Started } from '../first-line.js'
import { root } from '../system.js'

export interface MachineOptions {
  name: string
  /** The folder of this machine's disk, which is in memory. */
  dir: string
  /** The folder that all machines have as `/mnt`. */
  exchange: string
}

export interface Machine {
  readonly name: string
  /** The process ID of the first process, as this process sees it. */
  readonly pid: number
  /**
   * Runs a bash script as root to its end, and returns its output.
   * @throws Error with the script's output
   */
  run(script: string, options?: RunOptions): Promise<string>
  /** Starts a program that runs until the machine ends, and waits for a line of its output. */
  start(args: readonly string[], until: RegExp): Promise<Started>
  end(): Promise<void>
}

export interface RunOptions {
  input?: string | Buffer
  env?: Readonly<Record<string, string>>
}

/**
 * The shell itself opens a file like `/proc/self/stat`, which contains its process ID outside, before the
 * other /proc is mounted.
 */
const setUp = `
set -e
read -r pid rest </proc/self/stat
hostname "$1"
mount -t tmpfs none "$2"
mkdir "$2/upper" "$2/work" "$2/root"
root=$2/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$2/upper,workdir=$2/work" "$root"
mount -t proc none "$root/proc"
mount --rbind /dev "$root/dev"
for folder in tmp run; do mount -t tmpfs -o mode=1777 none "$root/$folder"; done
mkdir -p "$root$4"
mount --bind "$4" "$root$4"
mount --bind "$3" "$root/mnt"
touch "$root/usr/local/bin/node"
mount --bind "$5" "$root/usr/local/bin/node"
ip link set lo up
# Waits for the end of its input and, until then, for processes that lost their parent.
exec chroot "$root" sh -c 'echo "machine $1"; exec 3<&0; cat <&3 >/dev/null & wait $!' sh "$pid"
`

const environment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C.UTF-8',
  HOME: '/root',
}
const limitMs = 120_000

export async function startMachine({ name, dir, exchange }: MachineOptions): Promise<Machine> {
  mkdirSync(dir, { recursive: true, mode: 0o755 })
  const namespaces = [
    '--net',
    '--mount',
    '--pid',
    '--uts',
    '--ipc',
    '--fork',
    '--kill-child',
    '--propagation',
    'private',
  ]
  const child = spawn(
    'unshare',
    [...namespaces, 'sh', '-c', setUp, 'sh', name, dir, exchange, root, process.execPath],
    { stdio: ['pipe', 'pipe', 'pipe'], env: environment },
  )
  const [, pid] = /^machine (\d+)$/.exec((await firstLine(name, child, /^machine /)).line) ?? []
  const enter = ['--target', String(pid), '--net', '--mount', '--pid', '--uts', '--ipc', '--root', '--wd']
  return {
    name,
    pid: Number(pid),
    run(script, { input = '', env = {} } = {}) {
      const args = [...enter, 'bash', '--norc', '-euo', 'pipefail', '-c', script]
      return new Promise((resolve, reject) => {
        const started = execFile(
          'nsenter',
          args,
          { env: { ...environment, ...env }, timeout: limitMs, maxBuffer: 64 << 20 },
          (error, stdout, stderr) => {
            if (error === null) resolve(stdout)
            else reject(new Error(`${name}: ${script}\n${stdout}${stderr}${error.message}`, { cause: error }))
          },
        )
        // A program that does not read its input has ended.
        started.stdin?.on('error', () => undefined)
        started.stdin?.end(input)
      })
    },
    start(args, until) {
      const started = spawn('nsenter', [...enter, ...args], {
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      return firstLine(`${name}: ${args.join(' ')}`, started, until)
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}

/** The folder of a machine's disk. */
export const diskOf = (dir: string, name: string): string => path.join(dir, 'machines', name)
