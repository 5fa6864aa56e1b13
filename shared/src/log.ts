/** The one logger: JSON lines with the IDs of the running work, secrets and typed text redacted. */
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import { fieldsOfCall } from './call-fields.js'
import { loggedError } from './log-error.js'
import { redactSecrets } from './secrets.js'

export type { Logger }

/** Bytes of lines that wait while the disk under the log is full. Later lines are dropped. */
const maxWaiting = 1 << 20

/**
 * Writes lines to a file descriptor. The logger ignores a line that it cannot write: a log line about it
 * would fail too, and each failure would add another line. Waiting lines are written once the disk has space.
 */
export function logStream(fd: number): DestinationStream {
  const stream = pino.destination({ fd, sync: true, maxLength: maxWaiting })
  stream.on('error', () => undefined)
  return stream
}

/** `LOG_LEVEL` sets the level; the default is `info`. Lines go to standard output, or `to`. */
export function createLogger(name: string, to: DestinationStream = logStream(1)): Logger {
  const options: LoggerOptions = {
    name,
    level: process.env['LOG_LEVEL'] ?? 'info',
    redact: {
      paths: ['req.headers.authorization', 'headers.authorization', '*.text', '*.token', '*.key', '*.secret'],
      censor: '[redacted]',
    },
    mixin: fieldsOfCall,
    serializers: { err: (error: unknown) => loggedError(error) },
    // Redacts the whole line: messages, fields at any depth, errors, and a child logger's bindings.
    hooks: { streamWrite: redactSecrets },
  }
  return pino(options, to)
}
