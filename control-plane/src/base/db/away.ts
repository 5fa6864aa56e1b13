/**
 * Recognises that Postgres is unavailable: it refused or closed the connection, is starting or
 * stopping, or did not answer. docs/decisions/0196
 */
import { sqlStateOf } from './sql-state.js'

/** Prisma: no connection, no answer, connection closed. */
const prismaCodes = ['P1001', 'P1008', 'P1017']
/** Kinds of the driver adapter's errors for the same causes. */
const adapterKinds = ['DatabaseNotReachable', 'SocketTimeout', 'ConnectionClosed']
/** Errors of Node's sockets. */
const socketCodes = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]
/** Messages of `pg`'s errors, which have no code. */
const driverMessages = [
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
]

/**
 * True if Postgres is unavailable. Whether a statement of the request took effect is a separate question:
 * `isCommitUnknown`.
 */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (driverMessages.includes(error.message)) return true
  const code = String(field(error, 'code'))
  if (prismaCodes.includes(code) || socketCodes.includes(code)) return true
  if (adapterKinds.includes(String(kindOf(error)))) return true
  const state = sqlStateOf(error)
  // The states of a shutdown, crash or start, and connection exceptions.
  return state !== null && (/^57P0[123]$/.test(state) || state.startsWith('08'))
}

const kindOf = (error: Error): unknown =>
  field(error.cause, 'kind') ??
  field(field(field(field(error, 'meta'), 'driverAdapterError'), 'cause'), 'kind')

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
