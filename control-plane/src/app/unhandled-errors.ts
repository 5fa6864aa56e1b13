/**
 * Handles unhandled rejections and exceptions. An error of a dependency that disconnects is logged. Any other error is
 * a bug that leaves the process in an unknown state: the process exits, and its supervisor restarts it. No input of an
 * agent, a client or a phone may cause such an error.
 */
import { type EventEmitter } from 'node:events'
import { ApiError, DeadlineExceeded, type Logger } from '@phonerack/shared'
import { CallFailure, isServiceError } from '../links/host-calls/calls.js'

const connectionCodes = ['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT']

/** Whether the error comes from Postgres, the broker, a host or a client that disconnects. */
const isNeighbours = (error: unknown): boolean =>
  error instanceof ApiError ||
  error instanceof CallFailure ||
  error instanceof DeadlineExceeded ||
  isServiceError(error) ||
  (error instanceof Error && 'code' in error && connectionCodes.includes(String(error.code)))

/** The log text by which tests recognise that the handler ran. */
export const unawaited = 'unhandled rejection or exception'

/** @param end ends the process */
export function watchFaults(process: EventEmitter, log: Logger, end: () => void): void {
  const onFault = (error: unknown): void => {
    if (isNeighbours(error)) return log.error({ err: error }, unawaited)
    log.fatal({ err: error }, `${unawaited}: this is a bug, so the process exits`)
    end()
  }
  process.on('unhandledRejection', onFault)
  process.on('uncaughtException', onFault)
}
