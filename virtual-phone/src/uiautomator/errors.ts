/**
 * Errors as the UiAutomator2 server 10.6 returns them: W3C WebDriver codes with their HTTP status. Any other
 * error is `unknown error`.
 */

const statusOf = {
  'invalid argument': 400,
  'invalid element state': 400,
  'invalid selector': 400,
  'invalid session id': 404,
  'no such alert': 404,
  'no such element': 404,
  'session not created': 500,
  'stale element reference': 404,
  'unable to capture screen': 500,
  'unknown command': 404,
  'unknown error': 500,
  'unknown method': 405,
} as const

export type ErrorCode = keyof typeof statusOf

export class ServerError extends Error {
  readonly httpStatus: number

  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message)
    this.name = 'ServerError'
    this.httpStatus = statusOf[code]
  }
}

export const noSuchElement = (): ServerError =>
  new ServerError(
    'no such element',
    'An element could not be located on the page using the given search parameters',
  )

export const noSuchAlert = (): ServerError =>
  new ServerError('no such alert', 'No alert is present on the screen')

export const invalidArgument = (message: string): ServerError => new ServerError('invalid argument', message)
