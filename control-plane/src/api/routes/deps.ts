/** The dependencies of every route, and the parser of its phone ID. */
import { ApiError, isId, type Clock } from '@phonerack/shared'
import type { FastifyReply } from 'fastify'
import type { Readable } from 'node:stream'
import type { HeldOpen } from '../http/held-open.js'
import type { Lifetimes } from '../http/lifetimes.js'
import type { FailureLimit } from '../../base/failure-limit/failure-limit.js'
import type { ApiInstance } from '../http/types.js'
import { type Services } from './services.js'

export interface RouteDeps {
  services: Services
  lifetimes: Lifetimes
  failureLimit: FailureLimit
  /** Limits the concurrent open requests of a key: waits and streamed responses. */
  waits: HeldOpen
  streams: HeldOpen
  eventStreams: HeldOpen
  /** Milliseconds after which a stream of events ends if its client has not read. */
  eventStallMs: number
  lifecycleWaitMs: number
  /** Public base address, without a trailing slash. */
  baseUrl: string
  clock: Clock
}

export type Route = (app: ApiInstance, deps: RouteDeps) => void

/** Returns the phone ID in a path. A malformed ID is a phone that does not exist. */
export function phoneIdOf(params: { id: string }): string {
  if (!isId('phone', params.id))
    throw new ApiError('phone_not_found', { next: 'GET /v1/phones', details: { phone: params.id } })
  return params.id
}

/** Sends bytes unchanged. */
export const sendBytes = (reply: FastifyReply, type: string, bytes: Uint8Array): FastifyReply =>
  reply.type(type).send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))

/** Streams a response that is never complete in memory. */
export const sendStream = (reply: FastifyReply, type: string, stream: Readable): FastifyReply =>
  reply.type(type).send(stream)

/** Sends encoded JSON. */
export const sendJson = (reply: FastifyReply, json: Uint8Array): FastifyReply =>
  sendBytes(reply, 'application/json; charset=utf-8', json)
