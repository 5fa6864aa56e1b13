// Runs programs and vitest for checks.mjs, and parses the output of reporter.mjs.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { stripVTControlCharacters } from 'node:util'

export const root = path.resolve(import.meta.dirname, '..', '..')
export const bin = (name) => path.join(root, 'node_modules', '.bin', name)

const env = {
  ...process.env,
  TURBO_TELEMETRY_DISABLED: '1',
  CI: process.env.CI ?? '1',
  NO_COLOR: '1',
  // With this setting, the compiler and the linter need a tenth more memory and a fifth less time.
  GOGC: process.env.GOGC ?? '400',
}

/** Runs a program in `cwd` and passes its output to `say`. Returns true when the program exits with 0. */
export function run(
  command,
  args,
  { cwd = root, say = (chunk) => process.stdout.write(chunk), more = {} } = {},
) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', say)
    child.stderr.on('data', say)
    child.once('error', (error) => {
      say(`${command}: ${error.message}\n`)
      resolve(false)
    })
    // Piped output may still be unread at `exit`. A program that the child started can keep the pipe open.
    child.once('exit', (code) => setTimeout(() => resolve(code === 0), 5000).unref())
    child.once('close', (code) => resolve(code === 0))
  })
}

const configOf = (file) => (file.startsWith('e2e/') ? ['--config', 'e2e/vitest.config.ts'] : [])

/** Returns the command that runs only a test file, or only one of its tests. */
export function commandOf(file, fullName) {
  const words = ['npx', 'vitest', 'run', ...configOf(file), file]
  // The argument of `-t` is a pattern.
  const pattern = fullName?.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", "'\\''")
  return words.join(' ') + (pattern === undefined ? '' : ` -t '${pattern}'`)
}

/** Parses the lines of a report, one per file. A file that ran again has its last outcome. */
export function readReport(report) {
  const lines = existsSync(report) ? readFileSync(report, 'utf8').split('\n').filter(Boolean) : []
  const parsed = lines.map((line) => JSON.parse(line))
  return {
    files: new Map(parsed.filter(({ file }) => file !== undefined).map((line) => [line.file, line])),
    outside: parsed.flatMap(({ outside }) => outside ?? []),
  }
}

export const hasPassed = ({ errors, tests }) =>
  errors.length === 0 && tests.every(({ state }) => state !== 'failed')

/**
 * Counts a report: `passed`, and `failed` with the name, the first lines of the error and the command of each
 * failure. An expected file that has not ended counts as one failure, and so does an error outside tests.
 */
export function countReport({ files, outside }, expected) {
  const failed = []
  let passed = 0
  for (const { file, errors, tests } of files.values()) {
    for (const { fullName, state, errors: ofTest } of tests) {
      if (state === 'passed') passed += 1
      if (state === 'failed')
        failed.push(failure(`${file}: ${fullName}`, ofTest[0], commandOf(file, fullName)))
    }
    if (errors.length > 0) failed.push(failure(file, errors[0], commandOf(file)))
  }
  for (const file of expected.filter((name) => !files.has(name)))
    failed.push(failure(file, 'has not ended', commandOf(file)))
  for (const error of outside) failed.push(failure('an error outside of tests', error))
  return { passed, failed }
}

const failure = (name, message, command) =>
  `${name}: ${shortly(message ?? '')}${command === undefined ? '' : `\n    ${command}`}`

/** The first lines of an error, without its stack. */
function shortly(message) {
  const lines = stripVTControlCharacters(message).split('\n')
  const end = lines.findIndex((line) => /^\s+at /.test(line))
  return lines.slice(0, Math.min(end === -1 ? 12 : end, 12)).join('\n    ')
}
