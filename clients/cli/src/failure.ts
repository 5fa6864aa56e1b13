/** Errors as exit codes, as envelopes, and as text for people. The table of exit codes is in the README. */
import { ActionError, PhonerackError } from '@phonerack/sdk'
import { plain, plainLines } from '@phonerack/shared/plain'
import { nextCommands } from './next-command.js'
import { Cancelled, NotDone, SignInError, UsageError } from './usage-error.js'

export const exitCodes = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  authentication: 3,
  permission: 4,
  notFound: 5,
  conflict: 6,
  billing: 7,
  rateLimit: 8,
  failed: 9,
  provider: 10,
  connection: 11,
  service: 12,
  unknownOutcome: 13,
  interrupted: 130,
} as const

const families: Readonly<Record<string, number>> = {
  invalid_request_error: exitCodes.usage,
  authentication_error: exitCodes.authentication,
  permission_error: exitCodes.permission,
  not_found_error: exitCodes.notFound,
  conflict_error: exitCodes.conflict,
  billing_error: exitCodes.billing,
  rate_limit_error: exitCodes.rateLimit,
  provider_error: exitCodes.provider,
  connection_error: exitCodes.connection,
  api_error: exitCodes.service,
}

/** Codes of refusals by the phone, in any family of errors. */
const refused = new Set(['install_failed', 'recording_failed', 'invalid_apk'])
/**
 * Whether an install that had started failed, for any reason of the phone. Errors of refused requests have a status.
 */
const isFailedInstall = ({ status, details }: PhonerackError): boolean =>
  status === null && Object.hasOwn(details, 'install')

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage
  if (error instanceof SignInError) return exitCodes.authentication
  if (error instanceof NotDone) return exitCodes.failed
  if (error instanceof Cancelled) return error.isInterrupt ? exitCodes.interrupted : exitCodes.unexpected
  if (!(error instanceof PhonerackError)) return isFileError(error) ? exitCodes.usage : exitCodes.unexpected
  if (error.isOutcomeUnknown) return exitCodes.unknownOutcome
  if (error instanceof ActionError || refused.has(error.code) || isFailedInstall(error))
    return exitCodes.failed
  const family = Object.hasOwn(families, error.type) ? families[error.type] : undefined
  return family ?? exitCodes.unexpected
}

interface Envelope {
  type: string
  code: string
  message: string
  retryable: boolean
  next: string | null
  request_id: string | null
  details: Readonly<Record<string, unknown>>
}

/** The `error` of the API's envelope, also for errors of the command line itself. */
export function envelopeOf(error: unknown): Envelope {
  const envelope = basicEnvelopeOf(error)
  const advice = adviceOf(envelope)
  return advice === null ? envelope : { ...envelope, next: advice }
}

function basicEnvelopeOf(error: unknown): Envelope {
  if (error instanceof PhonerackError) return error.toJSON()
  const own = (
    type: string,
    code: string,
    next: string | null,
    details: Readonly<Record<string, unknown>> = {},
  ): Envelope => ({
    type,
    code,
    message: error instanceof Error ? error.message : String(error),
    retryable: false,
    next,
    request_id: null,
    details,
  })
  if (error instanceof UsageError) return own('usage_error', 'usage_error', error.next, error.details)
  if (error instanceof SignInError) return own('authentication_error', 'not_signed_in', error.next)
  if (error instanceof NotDone) return own('not_done', error.code, error.next, error.details)
  if (error instanceof Cancelled) return own('cancelled', 'cancelled', null)
  return own('cli_error', isFileError(error) ? 'file_error' : 'unexpected_error', null)
}

/** Advice about the key, whose origin only the command line knows. */
function adviceOf({ code, details, next }: Envelope): string | null {
  if (code === 'insufficient_scope' && details['required'] === 'phones:delete')
    return (
      'A key from `phonerack login` is an Agent key, which cannot delete phones. ' +
      'An Admin key can: a person creates it in the console under API keys, or an operator with `ctl key create --preset admin`. ' +
      'Set PHONERACK_API_KEY to it, and run the command again. ' +
      '`phonerack phone park` ends the billing now.'
    )
  if (['invalid_api_key', 'key_expired', 'key_revoked'].includes(code))
    return `${next === null ? '' : `${next} `}Run \`phonerack login\` to get a new key.`
  return null
}

const isFileError = (error: unknown): boolean =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'

/**
 * Replaces requests by commands. Also replaces advice that names fields of the answer, because only `--json` prints the
 * fields.
 */
function inCommands(next: string, { snapshot_id: snapshot }: Envelope['details']): string {
  if (next.includes('`details.similar`'))
    return 'Open one of these apps: `phonerack phone open <package>`, or install the app.'
  if (next.includes('`observation`'))
    return 'Read the screen with `phonerack phone observe`, and target one of its elements.'
  return next.includes('`details.candidates`') && typeof snapshot === 'string'
    ? `Target one with \`--ref <n> --snapshot ${snapshot}\`, or add \`--nth <n>\`.`
    : nextCommands(next)
}

/** @param paint colors the word `error` */
export function failureText(error: unknown, paint: (text: string) => string): string {
  if (error instanceof Cancelled) return error.message
  const { code, message, next, request_id: requestId, details } = envelopeOf(error)
  return [
    `${paint('error:')} ${plainLines(message)}`,
    ...candidateLines(details['candidates']),
    ...issueLines(details['issues']),
    ...(next === null ? [] : [`next:  ${plainLines(inCommands(next, details))}`]),
    ...(code === 'usage_error'
      ? []
      : [`code:  ${plain(code)}${requestId === null ? '' : ` (${plain(requestId)})`}`]),
  ].join('\n')
}

/** The elements that came close to a target. */
function candidateLines(candidates: unknown): string[] {
  if (!Array.isArray(candidates) || candidates.length === 0) return []
  return ['candidates:', ...candidates.slice(0, 10).map((candidate) => `  ${candidateLine(candidate)}`)]
}

function candidateLine(candidate: unknown): string {
  if (typeof candidate !== 'object' || candidate === null) return plain(shown(candidate))
  const { ref, type, text, desc, id, center } = candidate as Record<string, unknown>
  return plain(
    [
      typeof ref === 'number' ? `[${ref}]` : '',
      typeof type === 'string' ? type : '',
      quotedText(text) ?? quotedText(desc) ?? '',
      typeof id === 'string' ? `#${id}` : '',
      Array.isArray(center) && center.every((each) => typeof each === 'number')
        ? `(${center.join(',')})`
        : center === null || center === undefined
          ? ''
          : JSON.stringify(center),
    ]
      .filter((part) => part !== '')
      .join(' '),
  )
}

const quotedText = (text: unknown): string | null =>
  typeof text === 'string' ? JSON.stringify(plain(text)) : null

function issueLines(issues: unknown): string[] {
  if (!Array.isArray(issues)) return []
  return issues.slice(0, 10).map((issue: unknown) => {
    if (typeof issue !== 'object' || issue === null) return plain(`  ${shown(issue)}`)
    const { path, message } = issue as { path?: unknown; message?: unknown }
    const place = Array.isArray(path) ? path.map((part) => shown(part)).join('.') : ''
    return plain(`  ${place}: ${shown(message)}`)
  })
}

/** The service can send values of any type. */
const shown = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
