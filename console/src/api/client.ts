/**
 * Requests to `/console/api`, with the token against request forgery, errors, and the renewed sign-in that some
 * requests need.
 */
import { undirected } from '../direction'
import { addressOf, type Answer, type BodyOf, type Fields, type Route } from './generated/routes'

interface ErrorBody {
  code: string
  message: string
  next: string | null
  details: Record<string, unknown>
  request_id: string
}

/** The server refused the request. */
export class RequestFailed extends Error {
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
  ) {
    super(body.message)
  }

  /** The reason for which the person must sign in again; null: the error has another cause. */
  get reason(): unknown {
    return this.body.code === 'unauthorized' ? this.body.details['reason'] : null
  }
}

interface Hooks {
  /** Asks the person for their password or passkey. False: the person declined. */
  confirmIdentity: () => Promise<boolean>
  signedOut: () => void
  renewToken: () => Promise<void>
}

const hooks: Hooks = {
  confirmIdentity: () => Promise.resolve(false),
  signedOut: () => undefined,
  renewToken: () => Promise.resolve(),
}

export const setHooks = (some: Partial<Hooks>): void => void Object.assign(hooks, some)

let csrfToken = ''

export const setCsrfToken = (token: string): void => void (csrfToken = token)

const unreadable = (status: number): ErrorBody => ({
  code: 'unreadable',
  message: `The server answered with status ${status}.`,
  next: 'Try again.',
  details: {},
  request_id: '',
})

/** Deadlines of requests in milliseconds, by the type of the body. */
const deadlineMs = { json: 60_000, file: 1_800_000 }

/** The address of a route, for elements that load it themselves. */
export const urlOf = <R extends Route>(route: R, fields: Fields<R>): string =>
  `/console/api${addressOf(route, fields)}`

const methodOf = (route: Route): string => route.slice(0, route.indexOf(' '))

/** @throws RequestFailed */
export function call<R extends Route>(
  route: R,
  fields: Fields<R>,
  ...[given]: BodyOf<R>
): Promise<Answer<R>> {
  const method = methodOf(route)
  const body: unknown = given ?? (method === 'POST' ? {} : undefined)
  return withRepeat(async () => {
    let response: Response
    try {
      response = await fetch(urlOf(route, fields), {
        method,
        headers: {
          ...(method === 'GET' ? {} : { 'x-csrf-token': csrfToken }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(deadlineMs.json),
      })
    } catch (error) {
      throw noAnswer('The server did not answer. Check your connection.', error)
    }
    return answerOf<R>(response.status, await response.json().catch(() => null))
  })
}

/** Sends a file as the body. @param onProgress receives the number of sent bytes @throws RequestFailed */
export const send = <R extends Route>(
  route: R,
  fields: Fields<R>,
  file: Blob,
  onProgress: (sentBytes: number) => void = () => undefined,
): Promise<Answer<R>> =>
  withRepeat(async () => {
    // `fetch` does not report the progress of an upload.
    const request = new XMLHttpRequest()
    request.open(methodOf(route), urlOf(route, fields))
    request.setRequestHeader('x-csrf-token', csrfToken)
    request.responseType = 'json'
    request.timeout = deadlineMs.file
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
    await new Promise<void>((resolve, reject) => {
      const failed = (): void => reject(noAnswer('The file did not arrive.'))
      request.addEventListener('load', () => resolve())
      request.addEventListener('error', failed)
      request.addEventListener('timeout', failed)
      request.send(file)
    })
    return answerOf<R>(request.status, request.response)
  })

const noAnswer = (message: string, cause?: unknown): RequestFailed =>
  Object.assign(new RequestFailed(0, { ...unreadable(0), message, next: null }), { cause })

function answerOf<R extends Route>(status: number, answer: unknown): Answer<R> {
  if (status >= 200 && status < 300) return answer as Answer<R>
  const { error } = (answer ?? {}) as { error?: ErrorBody }
  throw new RequestFailed(status, error ?? unreadable(status))
}

/** Repeats a request with a new token, or after the person has signed in again. */
async function withRepeat<T>(once: () => Promise<T>): Promise<T> {
  try {
    return await once()
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error
    if (error.body.code === 'browser_requests_not_allowed') {
      await hooks.renewToken()
      return once()
    }
    if (error.reason === 'signed_out') hooks.signedOut()
    if (error.reason !== 'recent_sign_in' || !(await hooks.confirmIdentity())) throw error
    return once()
  }
}

/** The text of a failure for a person. The text may quote hostile text. */
export function messageOf(error: unknown): string {
  if (!(error instanceof RequestFailed))
    return undirected(error instanceof Error ? error.message : String(error))
  const { message, next } = error.body
  const step = plain(next ?? '')
  const isSentence = /^\p{Lu}\p{Ll}/u.test(step) && !forPrograms.test(step)
  return undirected(isSentence ? `${plain(message)} ${step}` : plain(message))
}

const method = '(?:GET|HEAD|POST|PUT|PATCH|DELETE)'
/** Matches advice that only a program can follow. */
const forPrograms = new RegExp(`${method} /|/v1/|Retry-After|\\bctl\\b|scripts/`)

/** Turns a text of the API into a text for a person: removes requests, headers and code marks. */
function plain(text: string): string {
  const words = text
    .replace(new RegExp(` \\(${method} /[^)]*\\)`, 'g'), '')
    .replace(new RegExp(`: ${method} /\\S+?(?=[.,]?(?:\\s|$))`, 'g'), '')
    .replace(/\b(S|s)end (?:the|this|the same) request again\b/g, (_, first: string) =>
      first === 'S' ? 'Try again' : 'try again',
    )
    .replace(/ after `?Retry-After`?(?: seconds)?/g, ' later')
    .replaceAll('`', '')
    .trim()
  return words === '' || /[.!?]$/.test(words) ? words : `${words}.`
}
