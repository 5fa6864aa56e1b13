/**
 * Reads when the certificate of the broker ends, for an alarm: a timer on another machine must renew the certificate,
 * and the NATS client does not expose it. Called by `app.ts`.
 */
import { type Logger } from '@phonerack/shared'
import { readBrokerCertificate } from '../base/pki/broker-handshake.js'

interface BrokerExpiry {
  /** Reads the certificate. Keeps the last known date if the broker does not answer. */
  read(): Promise<void>
  /** Null while the date is unknown, or if the broker has no TLS. */
  readonly endsAt: Date | null
}

export function watchBrokerExpiry(url: string, log: Logger): BrokerExpiry {
  let endsAt: Date | null = null
  return {
    async read() {
      if (!url.startsWith('tls://')) return
      await readBrokerExpiry(url).then(
        (date) => (endsAt = date),
        (error: unknown) => log.debug({ err: error }, 'could not read the certificate of the broker'),
      )
    },
    get endsAt() {
      return endsAt
    },
  }
}

/** @param url `tls://…` @throws Error when the broker does not answer within `withinMs` */
export const readBrokerExpiry = async (url: string, withinMs?: number): Promise<Date> =>
  new Date((await readBrokerCertificate(url, withinMs)).validTo)
