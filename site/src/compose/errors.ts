/** The sections of the page of errors, from the table in `shared/src/errors.ts`. */
import { errorCodes, errorTable, type ErrorCode } from '@phonerack/shared'
import { advice } from './error-advice.js'

const titles: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'The key is not valid',
  402: 'Credit and limits of spending',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Wrong method',
  409: 'The state does not allow it',
  413: 'Too large',
  416: 'Wrong range',
  422: 'The phone or its screen does not allow it',
  429: 'Too many requests',
  500: 'A fault of the service',
  502: 'The phone failed',
  503: 'Not available now',
  504: 'No answer from the phone',
}

/** Codes of an upload's `error`, which no response has as its status. */
const onlyInUploads: ReadonlySet<ErrorCode> = new Set(['upload_failed', 'platform_not_configured'])

/** Codes whose `retryable` depends on the request. */
const dependent: Readonly<Partial<Record<ErrorCode, string>>> = {
  internal_error: 'only for GET',
  provider_timeout: 'only for GET',
  provider_error: 'if nothing ran',
  upload_not_ready: 'while it is prepared for a phone',
  capacity_unavailable: 'yes, except as the failure of a phone',
}

const retryable = (code: ErrorCode): string => dependent[code] ?? (errorTable[code].retryable ? 'yes' : 'no')

function entry(code: ErrorCode): string {
  const { status, type, message } = errorTable[code]
  const where = onlyInUploads.has(code) ? "only in an upload's `error`" : `HTTP ${status}`
  return [
    `### \`${code}\``,
    `${where} · \`${type}\` · retryable: ${retryable(code)}`,
    message,
    `**Next step:** ${advice[code]}`,
  ].join('\n\n')
}

/** By status, in the order of the table. */
export function errorsMarkdown(): string {
  const sent = errorCodes.filter((code) => !onlyInUploads.has(code))
  const statuses = [...new Set(sent.map((code) => errorTable[code].status))].sort((a, b) => a - b)
  const sections = statuses.map((status) => {
    const codes = sent.filter((code) => errorTable[code].status === status)
    const title = titles[status]
    if (title === undefined) throw new Error(`the status ${status} has no title in errors.ts`)
    return [`## ${status}: ${title}`, ...codes.map(entry)].join('\n\n')
  })
  const uploads = ['## Errors of uploads', ...[...onlyInUploads].map(entry)].join('\n\n')
  return [...sections, uploads].join('\n\n')
}
