/**
 * Resolves names by the system. Until the system answers, each lookup occupies a thread that Node.js shares with file
 * access. Therefore only few lookups run at the same time, at most one for each project. The other lookups wait, and end
 * with their attempts.
 */
import { lookup as systemLookup } from 'node:dns/promises'

/** Half of the threads that Node.js has. */
const mostLookups = 2
/** Milliseconds for waiting and resolving. */
const longestMs = 5000

/** @throws Error with a `code`, such as ENOTFOUND; the reason of `signal` when it aborts */
export type Resolve = (name: string, signal: AbortSignal) => Promise<string[]>

/** Like `Resolve`, for a webhook of the project. */
export type ResolveOf = (name: string, signal: AbortSignal, projectId: string) => Promise<string[]>

export type Lookup = (name: string) => Promise<string[]>

const bySystem: Lookup = async (name) =>
  (await systemLookup(name, { all: true })).map(({ address }) => address)

/** @param lookup replaced in tests @param withinMs replaced in tests */
export function createSystemLookups(lookup: Lookup = bySystem, withinMs = longestMs): ResolveOf {
  /** Functions that start a lookup, with its project, in the order of their arrival. */
  const waiting = new Map<() => void, string>()
  /** Projects with a running lookup. */
  const running = new Set<string>()
  const startNext = (): void => {
    if (running.size >= mostLookups) return
    for (const [start, projectId] of waiting)
      if (!running.has(projectId)) {
        waiting.delete(start)
        return start()
      }
  }
  return (name, signal, projectId) =>
    new Promise((resolve, reject) => {
      const leave = (error: Error): void => {
        settle()
        waiting.delete(start)
        reject(error)
      }
      const onAbort = (): void => leave(reasonOf(signal))
      const timer = setTimeout(() => leave(tooLate(name)), withinMs)
      const settle = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      const start = (): void => {
        running.add(projectId)
        void lookup(name)
          .then(resolve, reject)
          .finally(() => {
            settle()
            // The lookup counts until the system answers, since it occupies its thread until then.
            running.delete(projectId)
            startNext()
          })
      }
      if (signal.aborted) return onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.set(start, projectId)
      startNext()
    })
}

const reasonOf = ({ reason }: AbortSignal): Error =>
  reason instanceof Error ? reason : new Error('the attempt was ended')

const tooLate = (name: string): Error =>
  Object.assign(new Error(`the system did not look up ${name} in time`), { code: 'ETIMEOUT' })
