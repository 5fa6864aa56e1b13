/** The one logger: JSON lines with the IDs of the running work, secrets and typed text redacted. */
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import { fieldsOfCall } from './call-fields.js'
import { loggedError } from './log-error.js'
import { redactSecrets } from './secrets.js'

export type { Logger }

/** `LOG_LEVEL` sets the level; the default is `info`. Lines go to standard output, or `to`. */
export function createLogger(name: string, to?: DestinationStream): Logger {
  const options: LoggerOptions = {
    name,
    level: process.env['LOG_LEVEL'] ?? 'info',
    redact: {
      paths: ['req.headers.authorization', 'headers.authorization', '*.text', '*.token', '*.key', '*.secret'],
      censor: '[redacted]',
    },
    mixin: fieldsOfCall,
    serializers: { err: (error: unknown) => loggedError(error) },
    // The whole line: messages, fields at any depth, errors, and a child logger's bindings.
    hooks: { streamWrite: redactSecrets },
  }
  return to === undefined ? pino(options) : pino(options, to)
}
