/**
 * Resolves the names of receivers. A slow name server must not delay other deliveries, so this code queries name
 * servers without the threads that Node.js shares with file access. The system resolves only names that the name
 * servers do not know; it also reads its hosts file.
 */
import { Resolver } from 'node:dns/promises'
import { createSystemLookups, type Resolve, type ResolveOf } from './system-lookups.js'

/** Milliseconds for the answer of a name server, which is queried twice. */
const answerMs = 1500
/** Milliseconds after which the list of name servers is read from the system again. */
const renewMs = 60_000

export type { Resolve, ResolveOf }

interface NameServers {
  resolve4(name: string): Promise<string[]>
  resolve6(name: string): Promise<string[]>
}

interface ResolveParts {
  /** Reads the list of name servers from the system. */
  open: () => NameServers
  bySystem: ResolveOf
  /** Monotonic time in milliseconds. */
  now: () => number
}

/**
 * Codes for names, or kinds of addresses, that a name server does not know. ESERVFAIL is omitted: the system would
 * query the same servers again, and wait for each of them.
 */
const unknown = ['ENOTFOUND', 'ENODATA', 'EREFUSED', 'ECONNREFUSED']
/** Codes for name servers that may have been replaced. */
const unreachable = ['ETIMEOUT', 'ECONNREFUSED']

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '')

const errorOf = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)))

const ofSystem: ResolveParts = {
  open: () => new Resolver({ timeout: answerMs, tries: 2 }),
  bySystem: createSystemLookups(),
  now: () => performance.now(),
}

/** @param parts replacements in tests */
export function createResolve(parts: Partial<ResolveParts> = {}): ResolveOf {
  const { open, bySystem, now } = { ...ofSystem, ...parts }
  // The resolver keeps the name servers that the system had when the resolver was opened.
  let opened = { servers: open(), at: now() }
  const current = (): NameServers => {
    if (now() - opened.at >= renewMs) opened = { servers: open(), at: now() }
    return opened.servers
  }
  return async (name, signal, projectId) => {
    if (/(^|\.)localhost$/i.test(name)) return bySystem(name, signal, projectId)
    const servers = current()
    const answers = await Promise.allSettled([servers.resolve4(name), servers.resolve6(name)])
    signal.throwIfAborted()
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const reasons = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [errorOf(answer.reason)] : [],
    )
    // A concurrent attempt may already have opened a new resolver.
    if (servers === opened.servers && reasons.some((reason) => unreachable.includes(codeOf(reason))))
      opened = { servers: open(), at: now() }
    if (found.length > 0) return found
    const failed = reasons.find((reason) => !unknown.includes(codeOf(reason)))
    if (failed !== undefined) throw failed
    return bySystem(name, signal, projectId)
  }
}
