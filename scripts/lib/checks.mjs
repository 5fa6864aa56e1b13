// Runs the checks of the project and counts them: `./scripts/test`, whose help describes the options. This is
// plain JavaScript, since it must also report a build that fails. A check other than a test run counts as
// one; the last line is `N passed, N failed`.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { changeIn, dependentsOf, planOf } from './changed.mjs'
import { numberedTests, prove, readPage, sentencesOf } from './conformance.mjs'
import { readReport as readPython } from './python.mjs'
import { bin, countReport, hasPassed, readReport, root, run } from './runs.mjs'
import { beginRecord, headOf, isLong, shardOf, sourcesOf, testFiles } from './suites.mjs'

const usage = `Usage: ./scripts/test [options] [FILE ...]

  (none)          the gate: set-up, build, static checks, and every x.test.ts
  --long          the long tests: every x.long.test.ts
  --all           both
  --changed       only the tests, of both suites, that the change against origin/main (else main) can touch
  --shard K/N     with --long or --all: the Kth of N parts of the tests
  --resume        with --long: continues the last run of --long without the files that passed
  --seed N        seed of random tests; the gate's is 1, the others draw one and print it
  --repeat N      runs the files, or the whole gate, N times while each core runs a busy loop
`

function readOptions() {
  const flag = { type: 'boolean', default: false }
  const text = { type: 'string' }
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: flag,
      long: flag,
      all: flag,
      changed: flag,
      resume: flag,
      shard: text,
      seed: text,
      repeat: text,
    },
  })
  const chosen = [values.long, values.all, values.changed, values.repeat !== undefined].filter(Boolean)
  if (chosen.length > 1) throw new Error('--long, --all, --changed and --repeat exclude each other')
  if (values.shard !== undefined && !values.long && !values.all)
    throw new Error('--shard needs --long or --all')
  if (values.resume && !values.long) throw new Error('--resume needs --long')
  if (positionals.length > 0 && values.repeat === undefined) throw new Error('files need --repeat')
  shardOf([], values.shard)
  return {
    ...values,
    seed: numberOf('seed', values.seed),
    repeat: numberOf('repeat', values.repeat),
    files: positionals,
  }
}

function numberOf(name, text) {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} must be a positive number, not ${text}`)
  return Number(text)
}

const total = { passed: 0, failed: 0 }
const failures = []
const skipped = []
const times = []
/** The outcomes of each test file. */
const reported = new Map()

/** @param failed the names of failed tests, with a short reason if there is one */
function count(passed, failed) {
  total.passed += passed
  total.failed += failed.length
  failures.push(...failed)
}

async function timed(name, work) {
  const since = performance.now()
  const ended = await work()
  const seconds = ((performance.now() - since) / 1000).toFixed(1)
  times.push(`${name} ${seconds} s`)
  return [ended, seconds]
}

async function check(name, command, args, cwd) {
  let said = ''
  const [passed, seconds] = await timed(name, () =>
    run(command, args, { cwd, say: (chunk) => (said += chunk) }),
  )
  count(passed ? 1 : 0, passed ? [] : [name])
  process.stdout.write(`\n${said}== ${name}: ${passed ? 'passed' : 'FAILED'} (${seconds} s)\n`)
  return passed
}

/**
 * The build is recorded, so that scripts that tests run do not build again: a build removes programs while
 * other tests run them.
 */
const build = () => check('build', 'bash', ['-c', '. scripts/lib/prepare.sh && alone build_all'])

/** Checks that need no build. */
async function textChecks() {
  const proto = path.join(root, 'proto')
  await check('format', bin('oxfmt'), ['--check', '.'])
  await check('proto lint', bin('buf'), ['lint'], proto)
  await check('proto breaking', bin('buf'), ['breaking', '--against', 'baseline.binpb'], proto)
}

/** The compiler and the linter use all cores, and the other checks use one core each. */
const staticChecks = () =>
  Promise.all([
    check('types', bin('turbo'), ['run', 'typecheck', '--output-logs=errors-only']).then(() =>
      check('lint', bin('oxlint'), ['--type-aware', '--deny-warnings']),
    ),
    check('doors', bin('depcruise'), ['control-plane/src', 'host-agent/src']).then(() =>
      check('commands', process.execPath, ['scripts/lib/commands.mjs', '--check']),
    ),
  ])

/** Installs missing programs that tests run, or prints their names. */
const programs = () => check('programs', process.execPath, ['scripts/lib/programs.mjs'])

/** Types and tests of the Python SDK, counted one by one. Checks whose packages cannot be installed are skipped. */
async function pythonChecks() {
  let said = ''
  const [passed, seconds] = await timed('python', () =>
    run('bash', ['clients/python/scripts/check.sh'], { say: (chunk) => (said += chunk) }),
  )
  const report = readPython(said, passed)
  count(report.passed, report.failed)
  skipped.push(...report.skipped)
  const outcome = report.failed.length === 0 ? 'passed' : 'FAILED'
  process.stdout.write(
    `\n${said}== python: ${outcome}: ${report.passed} passed, ${report.failed.length} failed, ${report.skippedCount} skipped (${seconds} s)\n`,
  )
}

/**
 * Runs vitest and returns true when it ended well.
 * @param report gets a line for each file that ends
 */
async function vitest(name, args, { report, seed, say = (chunk) => process.stdout.write(chunk) }) {
  say(`\n== ${name}\n`)
  const more = { PHONERACK_REPORT: report, PHONERACK_SEED: String(seed) }
  const reporters = ['--reporter=default', '--reporter=./scripts/lib/reporter.mjs']
  const [ended] = await timed(name, () => run(bin('vitest'), ['run', ...args, ...reporters], { more, say }))
  return ended
}

const endToEnd = ['--config', 'e2e/vitest.config.ts']
const isEndToEnd = (file) => file.startsWith('e2e/')

/** The folder of `e2e/src` that has its own system (`e2e/src/setups`), or null: all other files share systems. */
function systemOf(file) {
  const [, , folder] = file.split('/')
  return existsSync(path.join(root, 'e2e', 'src', 'setups', `${folder}.ts`)) ? folder : null
}

/**
 * Runs test files and counts their tests. Each system's test files run separately, since vitest starts all
 * systems of a run immediately. The gate's end-to-end tests mostly wait, so they run at the same time as its
 * unit tests; their output is printed at the end.
 */
async function tests(files, { name = '', seed, report = newReport(), done = [] }) {
  const groupOf = (file) => (isEndToEnd(file) ? (systemOf(file) ?? 'end to end') : 'unit tests')
  const runGroup = (group, say) => {
    const config = group === 'unit tests' ? [] : endToEnd
    const ofGroup = files.filter((file) => groupOf(file) === group)
    return vitest(`${name}${group}`, [...config, ...ofGroup], { report, seed, say })
  }
  const groups = [...new Set(files.map(groupOf))].sort().reverse()
  let ended = true
  if (files.some(isLong)) for (const group of groups) ended = (await runGroup(group)) && ended
  else {
    let said = ''
    const [first, ...others] = groups
    const say = (chunk) => (said += chunk)
    const runs = [runGroup(first), ...others.map((group) => runGroup(group, say))]
    ended = !(await Promise.all(runs)).includes(false)
    process.stdout.write(said)
  }
  countRun(`${name}tests`, report, [...files, ...done], ended)
}

function countRun(name, report, expected, ended) {
  const read = readReport(report)
  const { passed, failed } = countReport(read, expected)
  for (const [file, { tests: ofFile }] of read.files)
    reported.set(
      file,
      ofFile.map(({ title, state }) => ({ title, passed: state === 'passed' })),
    )
  count(passed, ended || failed.length > 0 ? failed : [`${name}: vitest failed; see above`])
}

const newReport = () => path.join(scratch, `report-${reports++}.jsonl`)

async function longTests({ shard, resume, seed }) {
  const record = path.join(root, 'node_modules', '.cache', 'phonerack', 'long-tests.jsonl')
  const sources = sourcesOf(root)
  const head = resume ? headOf(record, sources) : { sources, shard, seed }
  if (!resume) beginRecord(record, head)
  const files = shardOf(testFiles(root).filter(isLong), head.shard)
  const { files: ended } = readReport(record)
  const done = files.filter((file) => ended.has(file) && hasPassed(ended.get(file)))
  process.stdout.write(
    `\n== long tests: ${files.length - done.length} files, seed ${head.seed}` +
      `${done.length > 0 ? `; ${done.length} passed before` : ''}\n`,
  )
  const left = files.filter((file) => !done.includes(file))
  await tests(left, { name: 'long ', seed: head.seed, report: record, done })
  return head.shard
}

/** Counts the sentences of docs/conformance.md that the tests of this run prove. */
function conformance(isOfRun) {
  const sentences = sentencesOf(readPage())
  const tests = numberedTests().filter(({ file }) => isOfRun(file))
  const { proven, unproven } = prove(sentences, tests, [...reported.values()].flat())
  const untested = sentences.filter((each) => each.untested !== null).length
  const ofGate = sentences.length - untested - proven.length - unproven.length
  count(unproven.length === 0 ? 1 : 0, unproven.length === 0 ? [] : ['conformance'])
  process.stdout.write(
    `\n== conformance: ${sentences.length} sentences of the contract: ${proven.length} proven by tests that passed` +
      `${ofGate > 0 ? `, ${ofGate} by the gate, which did not run` : ''}, ${untested} not tested\n` +
      unproven.map((each) => `  not proven: ${each.number} ${each.sentence}: ${each.reason}\n`).join(''),
  )
}

async function changedTests({ main, base, files, everything, whole, related, e2e, python }, seed) {
  const list = (names) => (names.length === 0 ? 'none' : names.join(', '))
  process.stdout.write(
    `\n== changed against ${main}: ${files.length} files\n` +
      `  all unit tests of: ${list(whole)}\n  related unit tests of: ${list(related)}\n` +
      `  Python SDK: ${python ? 'all' : 'none'}\n` +
      `  end to end: ${everything ? 'all' : list(e2e)}\n`,
  )
  const report = newReport()
  const projects = (folders) => folders.flatMap((name) => ['--project', name, '--project', `${name}-long`])
  const ended = []
  if (python) await pythonChecks()
  if (whole.length > 0) ended.push(await vitest('unit', projects(whole), { report, seed }))
  if (related.length > 0) {
    const args = [...projects(related), '--changed', base, '--passWithNoTests']
    ended.push(await vitest('related', args, { report, seed }))
  }
  if (everything || e2e.length > 0)
    ended.push(await vitest('end to end', [...endToEnd, ...(everything ? [] : e2e)], { report, seed }))
  countRun('changed tests', report, [], !ended.includes(false))
}

/** Runs files repeatedly while each core runs a busy loop, which finds tests that depend on time. */
async function repeated(files, times, seed) {
  const loop = [
    '-e',
    // The loop ends with the process that started it, even when a signal ends that process.
    'const parent = process.ppid; while (process.ppid === parent) for (let i = 0; i < 1e6; i++);',
  ]
  const loops = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, loop, { stdio: 'ignore' }),
  )
  const endLoops = () => loops.forEach((each) => each.kill('SIGKILL'))
  process.once('exit', endLoops)
  try {
    for (let time = 1; time <= times; time += 1) await tests(files, { name: `${time}/${times} `, seed })
  } finally {
    endLoops()
  }
}

async function main(options) {
  const { long, all, changed, shard, repeat } = options
  const isGate = !long && !changed && repeat === undefined
  const seed = options.seed ?? (long || all ? randomInt(1, 2 ** 30) : 1)
  const [built] = await Promise.all([build(), isGate || changed ? textChecks() : undefined])
  if (!built) return
  await Promise.all([isGate || changed ? staticChecks() : undefined, programs()])
  const gate = testFiles(root).filter((file) => !isLong(file))
  if (isGate) await Promise.all([pythonChecks(), tests(all ? shardOf(gate, shard) : gate, { seed })])
  if (changed) {
    const change = changeIn(root)
    await changedTests({ ...change, ...planOf(change.files, dependentsOf(root)) }, seed)
  }
  if (repeat !== undefined) await repeated(options.files.length > 0 ? options.files : gate, repeat, seed)
  const ranShard = long || all ? await longTests({ ...options, seed }) : undefined
  if ((long || all) && ranShard === undefined) conformance(all ? () => true : isLong)
  return isGate && !all
}

function conclude(isGateAlone) {
  if (failures.length > 0)
    process.stdout.write(`\nFailed:\n${failures.map((name) => `  ${name}\n`).join('')}`)
  if (skipped.length > 0) process.stdout.write(`\nSkipped:\n${skipped.map((name) => `  ${name}\n`).join('')}`)
  process.stdout.write(`\nTime by part: ${times.join(', ')}\n`)
  if (isGateAlone) {
    const { length } = testFiles(root).filter(isLong)
    process.stdout.write(`${length} files of long tests were not run: ./scripts/test --long\n`)
  }
  process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`)
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
}

let options
let scratch = ''
let reports = 0
try {
  options = readOptions()
} catch (error) {
  process.stderr.write(`${error.message}\n\n${usage}`)
  process.exit(2)
}
if (options.help) process.stdout.write(usage)
else {
  scratch = mkdtempSync(path.join(tmpdir(), 'phonerack-checks-'))
  try {
    conclude(await main(options))
  } catch (error) {
    count(0, [error.message])
    conclude(false)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
