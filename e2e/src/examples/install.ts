/** Installs an example as its page describes, with our packed SDK. */
import { execFile } from 'node:child_process'
import { cp, mkdir } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { root } from '../system/system.js'

const run = promisify(execFile)
const deadlineMs = 300_000

/** The frameworks need Node.js 22 or newer, and `await using` needs 24. */
const nodeVersion = '24.21.0'
const python = process.env['PYTHON'] ?? '/usr/bin/python3'

/**
 * npm and pip print these messages when they cannot reach a registry. Python prints the last message without
 * `python3-venv`.
 */
const excuses =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|NewConnectionError|ensurepip is not available)\b/

/** The path of a program's folder or of a file, or the reason why it is missing. */
export type Installed = { at: string } | { missing: string }

/**
 * Runs an installer. Returns what this machine lacks for the installer, or null.
 * @throws Error for another failure
 */
async function installs(command: string, args: readonly string[], cwd: string): Promise<string | null> {
  try {
    await run(command, args, { cwd, timeout: deadlineMs })
    return null
  } catch (error) {
    const reason = error instanceof Error ? excuses.exec(error.message)?.[0] : undefined
    if (reason === undefined) throw error
    return `${path.basename(command)}: ${reason}`
  }
}

const npmOptions = ['--no-audit', '--no-fund', '--no-save', '--no-package-lock']

/** Copies the files of an example. */
export async function exampleFolder(name: string, into: string): Promise<string> {
  await cp(path.join(root, 'examples', name), into, { recursive: true })
  return into
}

/** Installs the packages of the folder's `package.json` and our SDK. Returns `node`. */
export async function nodePackages(folder: string, sdk: string, node: Installed): Promise<Installed> {
  if ('missing' in node) return node
  const missing = await installs('npm', ['install', ...npmOptions, '--ignore-scripts', sdk], folder)
  return missing === null ? node : { missing }
}

/**
 * The folder of a `node` that runs the examples.
 * @param into the folder for a `node` from npm, if this `node` is too old
 */
export async function nodeFolder(into: string): Promise<Installed> {
  if (Number(process.versions.node.split('.')[0]) >= 24) return { at: path.dirname(process.execPath) }
  await mkdir(into, { recursive: true })
  // The package's install script downloads the program for this machine from npm too.
  const missing = await installs('npm', ['install', ...npmOptions, `node@${nodeVersion}`], into)
  return missing === null ? { at: path.join(into, 'node_modules', 'node', 'bin') } : { missing }
}

/** Installs the packages of the folder's `requirements.txt` and our wheel. Returns the folder of `python`. */
export async function pythonFolder(folder: string, wheel: Installed): Promise<Installed> {
  if ('missing' in wheel) return wheel
  const bin = path.join(folder, 'venv', 'bin')
  const options = ['install', '--retries', '1', '--timeout', '20']
  const missing =
    (await installs(python, ['-m', 'venv', 'venv'], folder)) ??
    (await installs(path.join(bin, 'pip'), [...options, '-r', 'requirements.txt', wheel.at], folder))
  return missing === null ? { at: bin } : { missing }
}
