/** Runs `./scripts/backup` and `./scripts/restore`: deadline, interruption and errors. Exit codes: 0 done, 1 failed, 2 wrong command line. */
import process from 'node:process'
import { reasonOf, UsageError } from './refusal.js'

/**
 * @param options null when help was requested
 * @param work gets a signal that ends at the deadline or by Ctrl-C, and returns what to print
 */
export async function runMain<T extends { deadlineMs: number }>(
  name: string,
  usage: string,
  options: () => T | null,
  work: (options: T, signal: AbortSignal) => Promise<string>,
): Promise<void> {
  const asked = new AbortController()
  for (const kind of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(kind, () => asked.abort(new Error('interrupted')))
  let timer: NodeJS.Timeout | undefined
  try {
    const given = options()
    if (given === null) {
      process.stdout.write(usage)
      return
    }
    const late = new Error('not done at the deadline: pass a longer --deadline')
    timer = setTimeout(() => asked.abort(late), given.deadlineMs)
    process.stdout.write(await work(given, asked.signal))
  } catch (error) {
    const cause: unknown = asked.signal.aborted ? asked.signal.reason : error
    process.stderr.write(`${name}: ${reasonOf(cause)}\n`)
    if (error instanceof UsageError) process.stderr.write(`See ./scripts/${name} --help\n`)
    process.exitCode = error instanceof UsageError ? 2 : 1
  } finally {
    clearTimeout(timer)
  }
}
