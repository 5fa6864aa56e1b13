// The two suites of tests, the shards of the long suite, and the record from which an interrupted run
// continues.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const isLong = (file) => file.endsWith('.long.test.ts')

function listed(root, pattern) {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', pattern]
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
  return [...new Set(files)].filter((file) => file !== '' && existsSync(path.join(root, file))).sort()
}

/** The test files of a checkout, including new files, sorted by name. */
export const testFiles = (root) => listed(root, '*.test.ts')

/** The TypeScript files of a checkout, since several test files can share the tests of one file. */
export const sourceFiles = (root) => listed(root, '*.ts')

/**
 * `2/4` is the second quarter of `files`. Files of one folder go to different shards, since they take similar
 * times.
 */
export function shardOf(files, shard) {
  if (shard === undefined) return files
  const [, index, count] = /^([1-9]\d?)\/([1-9]\d?)$/.exec(shard)?.map(Number) ?? []
  if (index === undefined || index > count) throw new Error(`--shard must be like 2/4, not ${shard}`)
  return files.filter((_, at) => at % count === index - 1)
}

/** Identifies the tested sources: the commit, and the changes since the commit. */
export function sourcesOf(root) {
  const git = (...args) => execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 28 })
  const hash = createHash('sha256').update(git('rev-parse', 'HEAD')).update(git('diff', 'HEAD'))
  return hash.update(git('ls-files', '--others', '--exclude-standard')).digest('hex')
}

/** Begins the record of a run, to which the reporter appends. */
export function beginRecord(record, head) {
  mkdirSync(path.dirname(record), { recursive: true })
  writeFileSync(record, `${JSON.stringify(head)}\n`)
}

/**
 * The head of the interrupted run.
 * @throws Error when there is none, or when it tested other sources
 */
export function headOf(record, sources) {
  if (!existsSync(record)) throw new Error('there is no run to resume')
  const head = JSON.parse(readFileSync(record, 'utf8').split('\n')[0])
  if (head.sources !== sources)
    throw new Error('the sources have changed since that run: begin again without --resume')
  return head
}
