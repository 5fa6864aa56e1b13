/**
 * Tells which secrets are valid, for requests from addresses that have failed too often (`http/strangers`). All of them
 * share one query each quarter of a second, so that their number does not matter to the database.
 */
import { LRUCache } from 'lru-cache'

/** Milliseconds between two queries. */
const everyMs = 250
/** Secrets of one query. */
const mostAtOnce = 2000
/** Requests that wait for an answer; one more is told no at once. */
const mostWaiting = 20_000
/** Secrets of which the last answer is remembered, and for how many milliseconds. */
const remembered = { max: 20_000, ttl: 600_000 }

export interface SecretLookup {
  /** False: the secret is not valid, or too many wait for the answer. @param hash hex SHA-256 of it */
  has(hash: string): Promise<boolean>
  /** Call it with each secret that was accepted or refused: a known one is never made to wait. */
  remember(hash: string, isValid: boolean): void
  /** Call it with each secret that was refused: one that was valid before is looked up again. */
  forget(hash: string): void
  close(): void
}

interface Waiter {
  hash: string
  resolve: (isValid: boolean) => void
  reject: (error: unknown) => void
}

/** @param find the hashes among these that are valid, in one query */
export function createSecretLookup(find: (hashes: string[]) => Promise<string[]>): SecretLookup {
  const answers = new LRUCache<string, boolean>(remembered)
  let waiting: Waiter[] = []
  let timer: NodeJS.Timeout | null = null

  const look = async (): Promise<void> => {
    const round = waiting.slice(0, mostAtOnce)
    waiting = waiting.slice(mostAtOnce)
    try {
      // A secret that was unknown stays so: nobody can guess one that is made later.
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
    timer ??= setTimeout(() => void look(), everyMs)
  }

  return {
    has(hash) {
      if (answers.get(hash) === true) return Promise.resolve(true)
      if (waiting.length >= mostWaiting) return Promise.resolve(false)
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
