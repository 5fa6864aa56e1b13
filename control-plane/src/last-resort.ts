/**
 * What happens to a fault that nobody waited for. One that a neighbour causes by leaving is logged; any other is a bug after
 * which the process's state is not known: it ends, and its supervisor starts it again. Nothing that an agent, a
 * client or a phone sends may get here.
 */
import { type EventEmitter } from 'node:events'
import { ApiError, DeadlineExceeded, type Logger } from '@phonerack/shared'
import { CallFailure, isServiceError } from './host-calls/calls.js'

const connectionCodes = ['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT']

/** Faults of Postgres, the broker, a host or a client that leaves. */
export const isNeighbours = (error: unknown): boolean =>
  error instanceof ApiError ||
  error instanceof CallFailure ||
  error instanceof DeadlineExceeded ||
  isServiceError(error) ||
  (error instanceof Error && 'code' in error && connectionCodes.includes(String(error.code)))

/** The text by which logs show that the handler was reached. */
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
