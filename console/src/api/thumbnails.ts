/** Small pictures of ready phones, for a wall of thumbnails. */
import { urlOf } from './client'

/** The reason for which the phone has no picture. `controlled`: a person controls the phone. */
export type NoPicture = 'secure' | 'asleep' | 'typed' | 'busy' | 'unreadable' | 'controlled'

export type ThumbnailAnswer =
  | { kind: 'picture'; url: string; tag: string }
  /** The page already has the newest picture. */
  | { kind: 'unchanged' }
  | { kind: 'none'; why: NoPicture }
  /** The server refused, or did not answer. `limit`: too many requests. `denied`: the user has no access to the phone, or it does not run. */
  | { kind: 'refused'; why: 'limit' | 'denied' | 'failed' }

/** Milliseconds for a request. */
const deadlineMs = 10_000

const reasons: ReadonlySet<string> = new Set<NoPicture>(['secure', 'asleep', 'typed', 'busy', 'unreadable'])
const isReason = (text: string): text is NoPicture => reasons.has(text)

/** The reasons of refusals, by HTTP status. */
const refusals: Readonly<Partial<Record<number, 'limit' | 'denied'>>> = {
  401: 'denied',
  403: 'denied',
  404: 'denied',
  409: 'denied',
  429: 'limit',
}

/** Never rejects. @param tag the tag of the picture that the page has; empty: the page has none */
export async function readThumbnail(
  project: string,
  phone: string,
  tag: string,
  signal: AbortSignal,
): Promise<ThumbnailAnswer> {
  try {
    const response = await fetch(
      urlOf('GET /projects/:project/phones/:phone/thumbnail', { project, phone }),
      {
        headers: tag === '' ? {} : { 'if-none-match': `"${tag}"` },
        cache: 'no-store',
        // Browsers open only six connections to one server, and other requests must not wait.
        priority: 'low',
        signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
      },
    )
    if (response.status === 304) return { kind: 'unchanged' }
    if (response.status === 204) {
      const why = response.headers.get('x-thumbnail') ?? ''
      return { kind: 'none', why: isReason(why) ? why : 'unreadable' }
    }
    if (response.status === 200) {
      const url = await dataUrlOf(await response.blob())
      return { kind: 'picture', url, tag: (response.headers.get('etag') ?? '').replaceAll('"', '') }
    }
    const isControlled = response.status === 409 && (await codeOf(response)) === 'phone_controlled'
    if (isControlled) return { kind: 'none', why: 'controlled' }
    return { kind: 'refused', why: refusals[response.status] ?? 'failed' }
  } catch {
    // The request was aborted, timed out, or had no connection. The page asks again later.
    return { kind: 'refused', why: 'failed' }
  }
}

async function codeOf(response: Response): Promise<string | undefined> {
  const body = (await response.json()) as { error?: { code?: string } }
  return body.error?.code
}

/**
 * The content policy allows pictures from the console and from `data:` only. The type is fixed, so that the server's
 * answer cannot change it.
 */
function dataUrlOf(picture: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(reader.result as string))
    reader.addEventListener('error', () => reject(new Error('The picture cannot be read.')))
    reader.readAsDataURL(new Blob([picture], { type: 'image/webp' }))
  })
}
