/**
 * Requests to `/console/api`, with the token against request forgery, errors, and the renewed sign-in that some
 * requests need.
 */
import { undirected } from '../direction'

export interface ErrorBody {
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

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const unreadable = (status: number): ErrorBody => ({
  code: 'unreadable',
  message: `The server answered with status ${status}.`,
  next: 'Try again.',
  details: {},
  request_id: '',
})

/** Deadlines of requests in milliseconds, by the type of the body. */
const deadlineMs = { json: 60_000, file: 1_800_000 }

/** @param body a file is sent unchanged, every other value as JSON */
async function once<T>(method: Method, path: string, body: unknown): Promise<T> {
  const file = body instanceof Blob ? body : null
  let response: Response
  try {
    response = await fetch(`/console/api${path}`, {
      method,
      headers: {
        ...(method === 'GET' ? {} : { 'x-csrf-token': csrfToken }),
        ...(body === undefined
          ? {}
          : { 'content-type': file ? 'application/octet-stream' : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: file ?? JSON.stringify(body) }),
      signal: AbortSignal.timeout(file ? deadlineMs.file : deadlineMs.json),
    })
  } catch (error) {
    const message = 'The server did not answer. Check your connection.'
    throw Object.assign(new RequestFailed(0, { ...unreadable(0), message, next: null }), { cause: error })
  }
  const answer: unknown = await response.json().catch(() => null)
  if (response.ok) return answer as T
  const { error } = (answer ?? {}) as { error?: ErrorBody }
  throw new RequestFailed(response.status, error ?? unreadable(response.status))
}

/** @throws RequestFailed */
export async function call<T>(method: Method, path: string, body?: unknown): Promise<T> {
  try {
    return await once<T>(method, path, body)
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error
    if (error.body.code === 'browser_requests_not_allowed') {
      await hooks.renewToken()
      return once(method, path, body)
    }
    if (error.reason === 'signed_out') hooks.signedOut()
    if (error.reason !== 'recent_sign_in' || !(await hooks.confirmIdentity())) throw error
    return once(method, path, body)
  }
}

/** Deadline for sending a file, in milliseconds. */
const sendWithinMs = 600_000

type Progress = (sentBytes: number) => void

function sendOnce<T>(method: Method, path: string, file: Blob, onProgress: Progress): Promise<T> {
  return new Promise((resolve, reject) => {
    // `fetch` does not report the progress of an upload.
    const request = new XMLHttpRequest()
    request.open(method, `/console/api${path}`)
    request.setRequestHeader('x-csrf-token', csrfToken)
    request.responseType = 'json'
    request.timeout = sendWithinMs
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) return resolve(request.response as T)
      const { error } = (request.response ?? {}) as { error?: ErrorBody }
      reject(new RequestFailed(request.status, error ?? unreadable(request.status)))
    })
    const failed = (): void =>
      reject(new RequestFailed(0, { ...unreadable(0), message: 'The file did not arrive.' }))
    request.addEventListener('error', failed)
    request.addEventListener('timeout', failed)
    request.send(file)
  })
}

/** Sends a file as the body. @throws RequestFailed */
export async function send<T>(
  method: Method,
  path: string,
  file: Blob,
  onProgress: Progress = () => undefined,
): Promise<T> {
  try {
    return await sendOnce<T>(method, path, file, onProgress)
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error
    if (error.reason === 'signed_out') hooks.signedOut()
    if (error.body.code !== 'browser_requests_not_allowed') throw error
    await hooks.renewToken()
    return sendOnce<T>(method, path, file, onProgress)
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
