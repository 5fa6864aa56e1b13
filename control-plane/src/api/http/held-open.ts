/**
 * Limits how many requests one key or user, or all keys of a project, hold open concurrently: waits and streamed
 * responses. Counted per process.
 */
import { ApiError } from '@phonerack/shared'
import type { FastifyReply } from 'fastify'
import { type Caller } from '../../base/core/caller.js'

/** Seconds after which the client may try again. */
const retryAfterSeconds = 5

/** The key or user that sent a request. */
export type Holder = Pick<Caller, 'keyId' | 'projectId'>

export interface HeldOpen {
  /** Counts the request until its response ends. @throws ApiError rate_limited */
  hold(holder: Holder, reply: FastifyReply): void
  /** Like `hold`, but returns false instead of throwing. */
  tryHold(holder: Holder, reply: FastifyReply): boolean
}

interface Kind {
  nameOf: (holder: Holder) => string
  message: (most: number) => string
  next: string | null
}

const byKey = ({ keyId }: Holder): string => keyId
const closeOne = 'Close one of them, then send the request again.'

const kinds = {
  waits: {
    nameOf: byKey,
    message: (most: number) => `The API key already has ${most} waiting requests.`,
    next: 'Wait until one of them ends, or send the request without `wait`.',
  },
  streams: {
    nameOf: byKey,
    message: (most: number) => `The API key already has ${most} open downloads.`,
    next: 'Finish or close one of them, then send the request again.',
  },
  events: {
    nameOf: byKey,
    message: (most: number) => `The API key already follows ${most} streams of events.`,
    next: closeOne,
  },
  eventsOfProject: {
    nameOf: ({ projectId }) => projectId,
    message: (most: number) => `The keys of the project already follow ${most} streams of events.`,
    next: closeOne,
  },
  /** The caller of a console user has the user's ID as `keyId`. */
  pages: {
    nameOf: byKey,
    message: (most: number) =>
      `You already have ${most} pages open. Close another page, then reload this page.`,
    next: null,
  },
  thumbnails: {
    nameOf: byKey,
    message: (most: number) =>
      `You already wait for ${most} thumbnails. Close other pages that show thumbnails.`,
    next: null,
  },
  downloads: {
    nameOf: byKey,
    message: (most: number) => `You already have ${most} open downloads. Finish or close one of them.`,
    next: null,
  },
} satisfies Record<string, Kind>

interface Limit {
  kind: keyof typeof kinds
  most: number
}

/** Each request counts towards all limits. */
export function createHeldOpen(...limits: readonly Limit[]): HeldOpen {
  /** Holders without open requests have no entry in `counts`. */
  const counters = limits.map(({ kind, most }) => ({
    most,
    ...kinds[kind],
    counts: new Map<string, number>(),
  }))

  /** Counts the request, or returns the limit that it would exceed. */
  const count = (holder: Holder, reply: FastifyReply) => {
    // A closed connection emits no `close` event that would decrement its count.
    if (reply.raw.destroyed) return null
    const held = counters.map((counter) => ({ counter, name: counter.nameOf(holder) }))
    const full = held.find(({ counter, name }) => (counter.counts.get(name) ?? 0) >= counter.most)
    if (full) return full.counter
    for (const { counter, name } of held) counter.counts.set(name, (counter.counts.get(name) ?? 0) + 1)
    reply.raw.once('close', () => {
      for (const { counter, name } of held) {
        const left = (counter.counts.get(name) ?? 1) - 1
        if (left > 0) counter.counts.set(name, left)
        else counter.counts.delete(name)
      }
    })
    return null
  }
  return {
    tryHold: (holder, reply) => count(holder, reply) === null,
    hold(holder, reply) {
      const full = count(holder, reply)
      if (full === null) return
      const { message, next, most } = full
      const details = { limit: most }
      throw new ApiError('rate_limited', { message: message(most), next, details, retryAfterSeconds })
    },
  }
}
