// Runs every check of the project in order and counts: `./scripts/test`.
// Plain JavaScript, since it also has to report a build that fails.
// A check that is no test run counts as one; the last line is `N passed, N failed`.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { prove } from './conformance.mjs'

const root = path.resolve(import.meta.dirname, '..', '..')
const bin = (name) => path.join(root, 'node_modules', '.bin', name)
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', CI: process.env.CI ?? '1', NO_COLOR: '1' }
const scratch = mkdtempSync(path.join(tmpdir(), 'phonerack-checks-'))
const total = { passed: 0, failed: 0 }
const failures = []
const second = []
/** What each file's tests became. */
const reported = new Map()

/** Runs a program, handing on what it says; true when it exits with 0. */
function run(command, args, cwd = root, say = (chunk) => process.stdout.write(chunk)) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', say)
    child.stderr.on('data', say)
    child.once('error', (error) => {
      say(`${command}: ${error.message}\n`)
      resolve(false)
    })
    child.once('exit', (code) => resolve(code === 0))
  })
}

function count(name, passed, failed) {
  total.passed += passed
  total.failed += failed
  if (failed > 0) failures.push(failed > 1 || passed > 0 ? `${name}: ${failed} failed` : name)
}

/** Says all at its end, since others may run beside it. */
async function check(name, command, args, cwd) {
  const since = performance.now()
  let said = ''
  const passed = await run(command, args, cwd, (chunk) => (said += chunk))
  count(name, passed ? 1 : 0, passed ? 0 : 1)
  const seconds = ((performance.now() - since) / 1000).toFixed(1)
  process.stdout.write(`\n${said}== ${name}: ${passed ? 'passed' : 'FAILED'} (${seconds} s)\n`)
  return passed
}

/** Checks that mostly use one core each; formatting, the longest, runs beside the others. */
async function staticChecks() {
  const proto = path.join(root, 'proto')
  const others = async () => {
    await check('types', bin('turbo'), ['run', 'typecheck', '--output-logs=errors-only'])
    await check('lint', bin('oxlint'), ['--type-aware', '--deny-warnings'])
    await check('proto lint', bin('buf'), ['lint'], proto)
    await check('proto breaking', bin('buf'), ['breaking', '--against', 'baseline.binpb'], proto)
  }
  await Promise.all([check('format', bin('prettier'), ['--check', '--log-level=warn', '.']), others()])
}

/** A vitest run; its tests are counted one by one, and those named that passed at the second try (docs/decisions/0096). A run that ends badly without a failed test counts as one. */
async function tests(name, args) {
  process.stdout.write(`\n== ${name}\n`)
  const report = path.join(scratch, `${name}.json`)
  const ended = await run(bin('vitest'), [
    'run',
    ...args,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ])
  const result = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : null
  const passed = result?.numPassedTests ?? 0
  for (const { name: file, assertionResults } of result?.testResults ?? []) {
    const outcomes = assertionResults.map(({ title, status }) => ({ title, passed: status === 'passed' }))
    reported.set(path.relative(root, file), outcomes)
    for (const { status, fullName, failureMessages } of assertionResults)
      if (status === 'passed' && failureMessages.length > 0)
        second.push(`${name}: ${fullName}: ${failureMessages[0].split('\n', 1)[0]}`)
  }
  let failed = result?.numFailedTests ?? 0
  const brokenFiles = (result?.testResults ?? []).filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  )
  failed += brokenFiles.length
  if (failed === 0 && (!ended || passed === 0)) failed = 1
  count(name, passed, failed)
}

/** Each sentence of the specification by a test that ran and passed just now. */
function conformance() {
  const document = readFileSync(path.join(root, 'docs', 'conformance.md'), 'utf8')
  const { sentences, proven, untested, unproven } = prove(document, reported)
  count('conformance', unproven.length === 0 ? 1 : 0, unproven.length === 0 ? 0 : 1)
  process.stdout.write(
    `\n== conformance: ${sentences} sentences, ${proven} proven by tests that passed, ${untested} not tested\n` +
      unproven.map(({ sentence, file, test }) => `  not proven: ${sentence} (${file}: ${test})\n`).join(''),
  )
}

try {
  const built = await check('build', bin('turbo'), ['run', 'build', '--output-logs=errors-only'])
  await staticChecks()
  if (built) {
    await check('mksh and toybox', process.execPath, ['scripts/lib/shells.mjs'])
    await tests('unit', [])
    if (existsSync(path.join(root, 'e2e', 'vitest.config.ts')))
      await tests('e2e', ['--config', 'e2e/vitest.config.ts'])
    conformance()
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.map((name) => `  ${name}\n`).join('')}`)
if (second.length > 0)
  process.stdout.write(`\nPassed at the second try:\n${second.map((name) => `  ${name}\n`).join('')}`)
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`)
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
