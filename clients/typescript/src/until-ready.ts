/** Waits until a phone is ready. */
import type { Connection } from './connection.js'
import { ConnectionError, PhonerackError } from './errors.js'
import { pause } from './pause.js'
import { getPhone } from './generated/sdk.gen.js'
import type { Phone as PhoneFields } from './generated/types.gen.js'

/** Seconds that one read waits. */
const waitSeconds = 50
/** States in which a phone does not become ready by itself. In other states, including unknown states, the SDK waits. */
const ended = ['parking', 'parked', 'unavailable', 'failed', 'deleted']
/** Milliseconds between two reads that returned immediately. */
export const pauseMs = 500

/** @throws PhonerackError when the phone fails or ends up in another state; `details.phone` is its ID */
export async function untilReady(
  connection: Connection,
  first: PhoneFields,
  signal: AbortSignal,
): Promise<PhoneFields> {
  let phone = first
  while (phone.status !== 'ready') {
    if (ended.includes(phone.status)) throw notReady(phone)
    const query = { wait: 'ready', timeout: waitSeconds } as const
    await pause(pauseMs, signal)
    phone = await getPhone({ ...connection.sending({ signal }), path: { id: phone.id }, query })
  }
  return phone
}

/**
 * Waits for a phone after a successful write. The errors name the phone, which is billed when it becomes ready. The
 * errors are not retryable, because a repeat of the call would create another phone or renew the session.
 */
export async function afterWrite<T>(id: string, wait: () => Promise<T>): Promise<T> {
  try {
    return await wait()
  } catch (error) {
    throw waitFailed(error, id)
  }
}

export const readyAfterWrite = (
  connection: Connection,
  first: PhoneFields,
  signal: AbortSignal,
): Promise<PhoneFields> => afterWrite(first.id, () => untilReady(connection, first, signal))

function waitFailed(error: unknown, id: string): unknown {
  if (!(error instanceof PhonerackError)) return error
  const [details, retryable] = [{ ...error.details, phone: id }, false]
  if (!(error instanceof ConnectionError)) return Object.assign(error, { details, retryable })
  const message =
    error.code === 'timeout' ? `The phone ${id} was not ready before the timeout.` : error.message
  const next = `It may still become ready, and is billed then: read it with \`phones.get('${id}')\`, and park it if it is not needed.`
  return new ConnectionError(error.code, message, false, error.cause, { next, details, retryable })
}

const notReady = ({ id, status, failure }: PhoneFields): PhonerackError =>
  new PhonerackError({
    code: failure?.code ?? 'phone_not_running',
    type: 'conflict_error',
    retryable: false,
    message: failure?.message ?? `The phone is ${status}.`,
    next: failure === null ? 'Start the phone.' : 'Create another phone.',
    details: { phone: id, status },
  })
