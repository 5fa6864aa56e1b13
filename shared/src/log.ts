/** The one logger: JSON lines, secrets and typed text redacted. */
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino'
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
    hooks: {
      logMethod(args, method) {
        const clean = args.map((arg) => (typeof arg === 'string' ? redactSecrets(arg) : arg))
        method.apply(this, clean as Parameters<typeof method>)
      },
    },
  }
  return to === undefined ? pino(options) : pino(options, to)
}
