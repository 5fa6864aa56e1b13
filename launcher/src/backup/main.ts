/** Runs a backup or a restore: deadline, interruption and errors. */
import process from 'node:process'
import { reasonOf, UsageError } from './refusal.js'

/**
 * Runs `work` until the deadline, or until a signal asks the process to end.
 * @param work gets an abort signal for both, and returns the text to print
 * @throws the reason of the abort, and the errors of `work`
 */
export async function runWithin<T extends { deadlineMs: number }>(
  options: T,
  work: (options: T, signal: AbortSignal) => Promise<string>,
): Promise<string> {
  const asked = new AbortController()
  const interrupt = () => asked.abort(new Error('interrupted'))
  const kinds = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const kind of kinds) process.once(kind, interrupt)
  const late = new Error('not done at the deadline: pass a longer --deadline')
  const timer = setTimeout(() => asked.abort(late), options.deadlineMs)
  try {
    return await work(options, asked.signal)
  } catch (error) {
    asked.signal.throwIfAborted()
    throw error
  } finally {
    clearTimeout(timer)
    for (const kind of kinds) process.off(kind, interrupt)
  }
}

/**
 * The main program of a script. Exit codes: 0 done, 1 failed, 2 wrong command line.
 * @param options null when help was requested
 */
export async function runMain<T extends { deadlineMs: number }>(
  name: string,
  usage: string,
  options: () => T | null,
  work: (options: T, signal: AbortSignal) => Promise<string>,
): Promise<void> {
  try {
    const given = options()
    process.stdout.write(given === null ? usage : await runWithin(given, work))
  } catch (error) {
    process.stderr.write(`${name}: ${reasonOf(error)}\n`)
    if (error instanceof UsageError) process.stderr.write(`See ./scripts/${name} --help\n`)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}
