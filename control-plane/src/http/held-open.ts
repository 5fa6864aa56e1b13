/**
 * Limits the requests that one key holds open concurrently: waits and streamed responses. Counted
 * per process.
 */
import { ApiError } from '@phonerack/shared'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from './auth.js'

/** Seconds after which another request may have ended. */
const retryAfterSeconds = 5

export interface HeldOpen {
  /** Counts the request until its response ends. @throws ApiError rate_limited */
  hold(request: FastifyRequest, reply: FastifyReply): void
  /** Like `hold`, but returns false instead of throwing. */
  tryHold(request: FastifyRequest, reply: FastifyReply): boolean
}

const descriptions = {
  waits: {
    message: (most: number) => `The API key already has ${most} waiting requests.`,
    next: 'Wait until one of them ends, or send the request without `wait`.',
  },
  streams: {
    message: (most: number) => `The API key already has ${most} open downloads.`,
    next: 'Finish or close one of them, then send the request again.',
  },
  events: {
    message: (most: number) => `The API key already follows ${most} streams of events.`,
    next: 'Close one of them, then send the request again.',
  },
}

export function createHeldOpen(most: number, kind: keyof typeof descriptions): HeldOpen {
  /** Keys without open requests have no entry. */
  const counts = new Map<string, number>()

  const tryHold = (request: FastifyRequest, reply: FastifyReply): boolean => {
    // A client that has left holds nothing open, and no `close` event would decrement its count.
    if (reply.raw.destroyed) return true
    const { keyId } = callerOf(request)
    const count = counts.get(keyId) ?? 0
    if (count >= most) return false
    counts.set(keyId, count + 1)
    reply.raw.once('close', () => {
      const left = (counts.get(keyId) ?? 1) - 1
      if (left > 0) counts.set(keyId, left)
      else counts.delete(keyId)
    })
    return true
  }
  return {
    tryHold,
    hold(request, reply) {
      if (tryHold(request, reply)) return
      const { message, next } = descriptions[kind]
      const details = { limit: most }
      throw new ApiError('rate_limited', { message: message(most), next, details, retryAfterSeconds })
    },
  }
}
