/**
 * Runs a script through real mksh with real toybox, and through the virtual phone's shell, each in an empty folder:
 * Android's own shell is the reference. mksh and toybox are Debian packages, which `scripts/test` installs.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { byteString } from '../shell/bytes.js'
import { defaultEnvironment } from '../shell/session.js'
import { runScript, type Result, type TestAndroid } from './test-android.js'

/** Android's shell does not run as root, so this shell does not either, if possible. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const deadlineMs = 20_000

export interface RealShell {
  run(script: string): Promise<Result>
  close(): void
}

/** @throws when mksh or toybox is missing: `apt-get install mksh toybox` */
export function realShell(): RealShell {
  const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-mksh-'))
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const toybox = execFileSync('sh', ['-c', 'command -v toybox']).toString().trim()
  const mksh = execFileSync('sh', ['-c', 'command -v mksh']).toString().trim()
  for (const name of execFileSync(toybox).toString().split(/\s+/).filter(Boolean))
    symlinkSync(toybox, join(bin, name))
  symlinkSync(mksh, join(bin, 'sh'))
  execFileSync('chmod', ['755', folder])
  let runs = 0
  return {
    run: (script) => {
      const cwd = join(folder, `work${runs++}`)
      mkdirSync(cwd)
      if ('uid' in user) chownSync(cwd, user.uid ?? 0, user.gid ?? 0)
      return runReal(mksh, script, cwd, bin)
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function runReal(mksh: string, script: string, cwd: string, bin: string): Promise<Result> {
  return new Promise((resolve, reject) => {
    // Arguments are passed as bytes: Node would encode them as UTF-8.
    const child = spawn('/bin/sh', ['-c', 'umask 0; exec "$0" -c "$(cat <&3)"', mksh], {
      cwd,
      ...user,
      env: { ...defaultEnvironment(), PATH: bin, TMPDIR: cwd, TZ: 'GMT', LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      timeout: deadlineMs,
    })
    const [out, err]: [Buffer[], Buffer[]] = [[], []]
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk))
    child.on('error', reject)
    const input = child.stdio[3]
    if (input === null || input === undefined || !('end' in input)) throw new Error('no pipe for the script')
    input.on('error', () => undefined)
    input.end(Buffer.from(script, 'latin1'))
    child.on('close', (code, signal) => {
      if (signal !== null && code === null) return reject(new Error(`mksh was ended by ${signal}: ${script}`))
      resolve({ code: code ?? -1, out: byteString(Buffer.concat(out)), err: byteString(Buffer.concat(err)) })
    })
  })
}

let runs = 0

/** Runs the script on the virtual phone, in a separate folder. */
export function runVirtual({ android }: TestAndroid, script: string): Promise<Result> {
  const cwd = `/data/local/tmp/work${runs++}`
  android.fs.mkdir(cwd)
  return runScript(android, script, { cwd, signal: AbortSignal.timeout(deadlineMs) })
}
