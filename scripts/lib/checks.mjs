// Runs every check of the project in order and counts: `./scripts/test`.
// Plain JavaScript, since it also has to report a build that fails.
// With --changed it runs what a change can touch (changed.mjs).
// A check other than a test run counts as one; the last line is `N passed, N failed`.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { stripVTControlCharacters } from 'node:util'
import { changeIn, dependentsOf, planOf } from './changed.mjs'
import { pagesOf } from './conformance-pages.mjs'
import { prove, retriedOnly } from './conformance.mjs'
import { readReport } from './python.mjs'

const root = path.resolve(import.meta.dirname, '..', '..')
const bin = (name) => path.join(root, 'node_modules', '.bin', name)
const env = {
  ...process.env,
  ...{ TURBO_TELEMETRY_DISABLED: '1', CI: process.env.CI ?? '1', NO_COLOR: '1' },
  // The compiler and the linter: a tenth more memory, a fifth less time.
  GOGC: process.env.GOGC ?? '400',
}
const scratch = mkdtempSync(path.join(tmpdir(), 'phonerack-checks-'))
const total = { passed: 0, failed: 0 }
const failures = []
const later = []
const skipped = []
/** The outcomes of each file. */
const reported = new Map()

/** Runs a program and prints its output; true when it exits with 0. */
function run(command, args, cwd = root, say = (chunk) => process.stdout.write(chunk)) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', say)
    child.stderr.on('data', say)
    child.once('error', (error) => {
      say(`${command}: ${error.message}\n`)
      resolve(false)
    })
    // Piped output may still be unread at `exit`. A program that the child left behind can keep the pipe open.
    child.once('exit', (code) => setTimeout(() => resolve(code === 0), 5000).unref())
    child.once('close', (code) => resolve(code === 0))
  })
}

/** `failed` contains the names of failed tests, with a short reason if there is one. */
function count(passed, failed) {
  total.passed += passed
  total.failed += failed.length
  failures.push(...failed)
}

async function check(name, command, args, cwd) {
  const since = performance.now()
  let said = ''
  const passed = await run(command, args, cwd, (chunk) => (said += chunk))
  count(passed ? 1 : 0, passed ? [] : [name])
  const seconds = ((performance.now() - since) / 1000).toFixed(1)
  process.stdout.write(`\n${said}== ${name}: ${passed ? 'passed' : 'FAILED'} (${seconds} s)\n`)
  return passed
}

/** Recorded, so that the scripts that tests run do not build again: that removes programs while other tests run them. */
const build = () => check('build', 'bash', ['-c', '. scripts/lib/prepare.sh && alone build_all'])

/** Checks that need no build. */
async function textChecks() {
  const proto = path.join(root, 'proto')
  await check('format', bin('oxfmt'), ['--check', '.'])
  await check('prose', process.execPath, ['scripts/lib/prose/main.mjs', '--check'])
  await check('proto lint', bin('buf'), ['lint'], proto)
  await check('proto breaking', bin('buf'), ['breaking', '--against', 'baseline.binpb'], proto)
}

/** The compiler and the linter use all cores, the others one each. */
const staticChecks = (isEverything) => Promise.all([heavyChecks(), lightChecks(isEverything)])

async function heavyChecks() {
  await check('types', bin('turbo'), ['run', 'typecheck', '--output-logs=errors-only'])
  await check('lint', bin('oxlint'), ['--type-aware', '--deny-warnings'])
}

async function lightChecks(isEverything) {
  await check('floors', bin('depcruise'), ['control-plane/src', 'host-agent/src'])
  if (!isEverything) return
  await check('commands', process.execPath, ['scripts/lib/commands.mjs', '--check'])
  await check('programs', process.execPath, ['scripts/lib/programs.mjs'])
}

/** Types and tests of the Python SDK, counted one by one. Checks whose packages cannot be installed are skipped. */
async function pythonChecks() {
  const since = performance.now()
  let said = ''
  const passed = await run('bash', ['clients/python/scripts/check.sh'], root, (chunk) => (said += chunk))
  const report = readReport(said, passed)
  count(report.passed, report.failed)
  skipped.push(...report.skipped)
  const outcome = report.failed.length === 0 ? 'passed' : 'FAILED'
  const seconds = ((performance.now() - since) / 1000).toFixed(1)
  process.stdout.write(
    `\n${said}== python: ${outcome}: ${report.passed} passed, ${report.failed.length} failed, ${report.skippedCount} skipped (${seconds} s)\n`,
  )
}

/**
 * A vitest run; its tests are counted one by one, and those named that failed, or passed at a later try
 * (docs/decisions/0096). A run that ends badly without a failed test, as by an error outside of tests, counts as one.
 * `mayBeNone`: no test needs to run. `isHeldBack`: the output is printed in one piece, for one of two runs at the same time.
 */
async function tests(name, args, { mayBeNone = false, isHeldBack = false } = {}) {
  const print = (text) => process.stdout.write(text)
  if (!isHeldBack) print(`\n== ${name}\n`)
  const report = path.join(scratch, `${name}.json`)
  let said = ''
  const ended = await run(
    bin('vitest'),
    ['run', ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    root,
    (chunk) => {
      if (!isHeldBack) print(chunk)
      said += chunk
    },
  )
  if (isHeldBack) print(`\n== ${name}\n${said}`)
  const files = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : []
  const failed = []
  let passed = 0
  for (const file of files) {
    const place = path.relative(root, file.name)
    // A passed test has messages when an earlier try of it failed.
    const outcomes = file.assertionResults.map(({ title, status, failureMessages }) => ({
      title,
      passed: status === 'passed',
      retried: status === 'passed' && failureMessages.length > 0,
    }))
    reported.set(place, outcomes)
    for (const { status, fullName, failureMessages } of file.assertionResults) {
      const told = `${name}: ${place}: ${fullName}: ${shortly(failureMessages[0] ?? '')}`
      if (status === 'failed') failed.push(told)
      if (status === 'passed') passed += 1
      if (status === 'passed' && failureMessages.length > 0) later.push(told)
    }
    if (file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'))
      failed.push(`${name}: ${place}: ${shortly(file.message || failureOf(said, path.basename(place)))}`)
  }
  if (failed.length === 0 && (!ended || (passed === 0 && !mayBeNone)))
    failed.push(`${name}: ended badly\n${stripVTControlCharacters(lastError(said))}`)
  count(passed, failed)
}

/** The first lines of an error, without its stack. */
function shortly(message) {
  const lines = message.split('\n')
  const end = lines.findIndex((line) => /^\s+at /.test(line))
  return lines.slice(0, Math.min(end === -1 ? 12 : end, 12)).join('\n    ')
}

/**
 * The output of a run for a file without a failed test, as when a hook failed; the report does not contain
 * it.
 */
function failureOf(said, file) {
  const lines = stripVTControlCharacters(said).split('\n')
  const at = lines.findIndex((line) => line.includes('FAIL') && line.includes(file))
  return at === -1 ? 'see above' : lines.slice(at + 1, at + 6).join('\n')
}

/** From the errors outside of tests on, else the last lines. */
function lastError(said) {
  const lines = said.split('\n')
  const at = lines.findIndex((line) => line.includes('Unhandled'))
  return (at === -1 ? lines.slice(-40) : lines.slice(at, at + 60)).join('\n')
}

/**
 * Proves each sentence of docs/conformance by a test of this run that passed at the first try. A retry does not prove a
 * sentence, but fails the run no more than that of any other test.
 */
function conformance() {
  const rows = pagesOf().flatMap((page) => page.rows)
  const { sentences, proven, untested, unproven } = prove(rows, reported)
  const isSound = unproven.every(({ reason }) => reason === retriedOnly)
  count(isSound ? 1 : 0, isSound ? [] : ['conformance'])
  process.stdout.write(
    `\n== conformance: ${sentences} sentences, ${proven} proven by tests that passed, ${untested} not tested\n` +
      unproven
        .map(
          ({ sentence, file, test, reason }) => `  not proven: ${sentence} (${file}: ${test}: ${reason})\n`,
        )
        .join(''),
  )
}

const projects = (packages) => packages.flatMap((name) => ['--project', name])

function changePlan() {
  const { main, base, files } = changeIn(root)
  return { main, base, files, ...planOf(files, dependentsOf(root)) }
}

/**
 * The unit tests of the control plane are half of all. The others run at the same time, and during the first end-to-end
 * tests: each run waits for a third of its time, but hardly at the same moments, so that together they keep two cores busy.
 */
const allTests = () =>
  Promise.all([
    tests('unit', ['--project', '!control-plane', '--maxWorkers=3'], { isHeldBack: true }),
    tests('control plane', ['--project', 'control-plane', '--maxWorkers=4']).then(() =>
      tests('e2e', ['--config', 'e2e/vitest.config.ts']),
    ),
  ])

async function changedTests({ main, base, files, everything, whole: all, related, e2e, python }) {
  const list = (names) => (names.length === 0 ? 'none' : names.join(', '))
  process.stdout.write(
    `\n== changed against ${main}: ${files.length} files\n` +
      `  all unit tests of: ${list(all)}\n  related unit tests of: ${list(related)}\n` +
      `  Python SDK: ${python ? 'all' : 'none'}\n` +
      `  end to end: ${everything ? 'all' : list(e2e)}\n`,
  )
  if (all.length > 0) await tests('unit', projects(all))
  if (related.length > 0)
    await tests('related', [...projects(related), '--changed', base, '--passWithNoTests'], {
      mayBeNone: true,
    })
  if (everything || e2e.length > 0)
    await tests('e2e', ['--config', 'e2e/vitest.config.ts', ...(everything ? [] : e2e)])
}

try {
  const [built] = await Promise.all([build(), textChecks()])
  const plan = process.argv.includes('--changed') ? changePlan() : null
  await staticChecks(built && plan === null)
  const runs = plan === null ? allTests : () => changedTests(plan)
  // The checks of the Python SDK mostly wait.
  await Promise.all([plan === null || plan.python ? pythonChecks() : undefined, built ? runs() : undefined])
  if (built && plan === null) {
    try {
      conformance()
    } catch (error) {
      count(0, [`conformance: ${error.message}`])
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.map((name) => `  ${name}\n`).join('')}`)
if (later.length > 0)
  process.stdout.write(`\nPassed only on a retry:\n${later.map((name) => `  ${name}\n`).join('')}`)
if (skipped.length > 0) process.stdout.write(`\nSkipped:\n${skipped.map((name) => `  ${name}\n`).join('')}`)
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`)
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
