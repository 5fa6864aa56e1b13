/**
 * Resolves the names of receivers. A name server that answers slowly must not delay other deliveries, so names are asked
 * without the threads that Node.js shares with file access; only names that the name servers do not know are looked up by
 * the system, which also reads its file of hosts.
 */
import { lookup, Resolver } from 'node:dns/promises'

/** Milliseconds for an answer of a name server, which is asked twice. */
const answerMs = 1500
/** Lookups by the system at the same time: half of the threads. */
const mostLookups = 2

export type Resolve = (name: string) => Promise<string[]>

/** Codes of names, or kinds of addresses, that a name server does not know. */
const unknown = ['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ECONNREFUSED']

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined

export function createResolve(): Resolve {
  const resolver = new Resolver({ timeout: answerMs, tries: 2 })
  const waiting: (() => void)[] = []
  let running = 0
  const bySystem: Resolve = async (name) => {
    if (running >= mostLookups) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return (await lookup(name, { all: true })).map(({ address }) => address)
    } finally {
      const start = waiting.shift()
      if (start) start()
      else running -= 1
    }
  }
  return async (name) => {
    if (/(^|\.)localhost$/i.test(name)) return bySystem(name)
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    const failed = answers.find(
      (answer) => answer.status === 'rejected' && !unknown.includes(String(codeOf(answer.reason))),
    )
    if (failed?.status === 'rejected') throw failed.reason
    return bySystem(name)
  }
}
