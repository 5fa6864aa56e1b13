/** What every route gets, and how it names its phone. */
import { ApiError, isId, type Clock } from '@phonerack/shared'
import type { FastifyReply } from 'fastify'
import type { Readable } from 'node:stream'
import type { HeldOpen } from '../http/held-open.js'
import type { Lifetimes } from '../http/lifetimes.js'
import type { Strangers } from '../strangers/strangers.js'
import type { ApiInstance } from '../http/types.js'
import { type Services } from './services.js'

export interface RouteDeps {
  services: Services
  lifetimes: Lifetimes
  strangers: Strangers
  /** Of one key at once: requests that wait, and answers that are read bit by bit. */
  waits: HeldOpen
  streams: HeldOpen
  lifecycleWaitMs: number
  /** Public base address, without a slash at the end. */
  baseUrl: string
  clock: Clock
}

export type Route = (app: ApiInstance, deps: RouteDeps) => void

/** The phone a path names; one whose form is wrong does not exist. */
export function phoneIdOf(params: { id: string }): string {
  if (!isId('phone', params.id))
    throw new ApiError('phone_not_found', { next: 'GET /v1/phones', details: { phone: params.id } })
  return params.id
}

/** Answers bytes that are already what the client gets. */
export const sendBytes = (reply: FastifyReply, type: string, bytes: Uint8Array): FastifyReply =>
  reply.type(type).send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))

/** Answers what comes by and by, never a whole one in memory. */
export const sendStream = (reply: FastifyReply, type: string, stream: Readable): FastifyReply =>
  reply.type(type).send(stream)

/** Answers JSON that is already written. */
export const sendJson = (reply: FastifyReply, json: Uint8Array): FastifyReply =>
  sendBytes(reply, 'application/json; charset=utf-8', json)
