/** Webhooks and their deliveries in words. Pure. */
import { type Delivery, type Webhook } from '../../api/types'
import { type Tone } from '../../ui/badge'

interface State {
  tone: Tone
  name: string
  /** The meaning of the state and what to do; null: the badge says enough. */
  text: string | null
}

/** The most serious first: a webhook that is switched off may have an unreadable secret too. */
export function stateOf(webhook: Webhook): State {
  if (!webhook.is_secret_readable)
    return {
      tone: 'danger',
      name: 'secret unreadable',
      text: 'The installation lost the keys of this secret, so nothing can be signed and every delivery fails. Rotate the secret.',
    }
  if (webhook.switched_off !== null)
    return {
      tone: 'quiet',
      name: 'switched off',
      text: webhook.switched_off.is_after_failures
        ? 'Switched off, because every attempt failed for 3 days. Events from this time are not sent later.'
        : 'Switched off. Events from this time are not sent later.',
    }
  if (webhook.failing_since !== null)
    return {
      tone: 'warn',
      name: 'failing',
      text: 'The last attempt failed. After 3 days of failures, the webhook is switched off.',
    }
  return { tone: 'good', name: 'on', text: null }
}

export const typesText = (events: readonly string[] | null): string => {
  if (events === null) return 'all events'
  return events.length <= 2 ? events.join(', ') : `${events.length} types of events`
}

const errors: Readonly<Record<string, string>> = {
  status: 'The receiver did not confirm the delivery with a status from 200 to 299.',
  redirect: 'The receiver answered with a redirect, which is not followed.',
  timeout: 'The receiver did not answer before the time limit.',
  name_not_resolved: 'The name in the address could not be resolved.',
  address_not_allowed: 'The name leads to an address to which webhooks must not connect.',
  connection_refused: 'The receiver refused the connection.',
  connection_failed: 'The connection failed.',
  tls_failed: 'The certificate or the TLS of the receiver was not accepted.',
  webhook_disabled: 'The webhook was switched off.',
  secret_unreadable: 'The secret could not be read. Rotate it.',
}

/** Null: the last attempt succeeded, or there was none. */
export const errorText = ({ error }: Delivery): string | null =>
  error === null ? null : (errors[error] ?? error)

export const deliveryTones: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'busy',
  succeeded: 'good',
  failed: 'danger',
}
