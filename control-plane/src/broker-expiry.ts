/**
 * When the certificate of the broker ends, for an alarm: its renewal needs a timer on a machine that this replica does
 * not know, and the NATS client does not show the certificate. Called by `app.ts`. docs/decisions/0243
 */
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { brokerHost, isEncrypted, type Logger } from '@phonerack/shared'

/** Milliseconds for the whole handshake. */
const limitMs = 5000
/** The port of a URL without one. */
const defaultPort = 4222

export interface BrokerExpiry {
  /** Reads the certificate. Keeps the last date when the broker does not answer. */
  look(): Promise<void>
  /** Null: not known yet, or the broker has no TLS. */
  readonly endsAt: Date | null
}

export function watchBrokerExpiry(url: string, log: Logger): BrokerExpiry {
  let endsAt: Date | null = null
  return {
    async look() {
      if (!url.startsWith('tls://')) return
      await readBrokerExpiry(url).then(
        (read) => (endsAt = read),
        (error: unknown) => log.debug({ err: error }, 'could not read the certificate of the broker'),
      )
    },
    get endsAt() {
      return endsAt
    },
  }
}

/**
 * Reads it by a TLS handshake, after which it sends nothing. The broker first sends its line `INFO` in plain text
 * (source: NATS client protocol). Any certificate is read, even one that has ended.
 * @param url `tls://…` @throws Error when the broker does not answer within 5 s
 */
export async function readBrokerExpiry(url: string, withinMs = limitMs): Promise<Date> {
  const host = brokerHost(url)
  if (host === null || !isEncrypted(url)) throw new Error('the address has no host or no TLS')
  const port = Number(new URL(url.replace(/^\w+:/, 'http:')).port) || defaultPort
  const signal = AbortSignal.timeout(withinMs)
  const plain = connectTcp({ host, port })
  try {
    return await new Promise<Date>((resolve, reject) => {
      signal.addEventListener('abort', () =>
        reject(new Error(`${host} did not answer within ${withinMs} ms`)),
      )
      plain.once('error', reject)
      plain.once('close', () => reject(new Error(`${host} closed the connection`)))
      plain.once('data', () => {
        plain.pause()
        // Its date counts, not whether we trust it: the connection of the bus checks that.
        const socket = connectTls({ socket: plain, rejectUnauthorized: false }, () =>
          resolve(new Date(socket.getPeerCertificate().valid_to)),
        )
        socket.once('error', reject)
      })
    })
  } finally {
    plain.destroy()
  }
}
