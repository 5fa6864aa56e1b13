/**
 * Checks secrets for requests from addresses that have failed too often (`failure-limit/`). All of these requests share
 * one query per quarter of a second, so that their number does not load the database.
 */
import { createLru } from '../lru.js'

/** Milliseconds between two queries. */
const everyMs = 250
/** Secrets per query. */
const maxPerQuery = 2000
/** The largest number of waiting requests; further requests are refused immediately. */
const maxWaiting = 20_000
/** The number of secrets whose last result is cached, and for how many milliseconds. */
const remembered = { max: 20_000, ttl: 600_000 }

export interface SecretLookup {
  /** Returns false if the secret is invalid, or too many requests wait. @param hash the secret's SHA-256 in hex */
  has(hash: string): Promise<boolean>
  /** Must be called with each secret that was accepted or refused: a cached secret never waits. */
  remember(hash: string, isValid: boolean): void
  /** Must be called with each refused secret, so that a secret that was valid before is looked up again. */
  forget(hash: string): void
  close(): void
}

interface Waiter {
  hash: string
  resolve: (isValid: boolean) => void
  reject: (error: unknown) => void
}

/** @param find returns the hashes of valid secrets, in one query */
export function createSecretLookup(find: (hashes: string[]) => Promise<string[]>): SecretLookup {
  const answers = createLru<boolean>(remembered)
  let waiting: Waiter[] = []
  let timer: NodeJS.Timeout | null = null

  const findWaiting = async (): Promise<void> => {
    const round = waiting.slice(0, maxPerQuery)
    waiting = waiting.slice(maxPerQuery)
    try {
      // An unknown secret stays unknown: a client cannot guess a secret that is created later.
      const unknown = [...new Set(round.map(({ hash }) => hash))].filter((hash) => !answers.has(hash))
      const found = new Set(unknown.length > 0 ? await find(unknown) : [])
      for (const hash of unknown) answers.set(hash, found.has(hash))
      for (const { hash, resolve } of round) resolve(answers.get(hash) ?? found.has(hash))
    } catch (error) {
      for (const { reject } of round) reject(error)
    } finally {
      timer = null
      if (waiting.length > 0) schedule()
    }
  }
  const schedule = (): void => {
    timer ??= setTimeout(() => void findWaiting(), everyMs)
  }

  return {
    has(hash) {
      if (answers.get(hash) === true) return Promise.resolve(true)
      if (waiting.length >= maxWaiting) return Promise.resolve(false)
      return new Promise((resolve, reject) => {
        waiting.push({ hash, resolve, reject })
        schedule()
      })
    },
    forget: (hash) => void answers.delete(hash),
    remember: (hash, isValid) => void answers.set(hash, isValid),
    close() {
      if (timer) clearTimeout(timer)
      for (const { resolve } of waiting) resolve(false)
      waiting = []
    },
  }
}
