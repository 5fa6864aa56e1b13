/**
 * When the certificate of the broker ends, for an alarm: its renewal needs a timer on a machine that this replica does
 * not know, and the NATS client does not show the certificate. Called by `app.ts`.
 */
import { type Logger } from '@phonerack/shared'
import { readBrokerCertificate } from '../base/pki/broker-handshake.js'

export interface BrokerExpiry {
  /** Reads the certificate. Keeps the last date when the broker does not answer. */
  read(): Promise<void>
  /** Null: not known yet, or the broker has no TLS. */
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
