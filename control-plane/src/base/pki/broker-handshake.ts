/** Reads the certificate of the broker in a TLS handshake, and sends nothing afterwards. */
import { type X509Certificate } from 'node:crypto'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { brokerHost, isEncrypted } from '@phonerack/shared'

/** Milliseconds for the whole handshake. */
const limitMs = 5000
/** The default port of a URL. */
const defaultPort = 4222

/**
 * The broker first sends its line `INFO` in plain text (source: NATS client protocol). Any certificate is read, even an
 * expired certificate. @param url `tls://…` @throws Error if the broker does not answer within 5 s
 */
export async function readBrokerCertificate(url: string, withinMs = limitMs): Promise<X509Certificate> {
  const host = brokerHost(url)
  if (host === null || !isEncrypted(url)) throw new Error('the address has no host or no TLS')
  const port = Number(new URL(url.replace(/^\w+:/, 'http:')).port) || defaultPort
  const signal = AbortSignal.timeout(withinMs)
  const plain = connectTcp({ host, port })
  try {
    return await new Promise<X509Certificate>((resolve, reject) => {
      signal.addEventListener('abort', () =>
        reject(new Error(`${host} did not answer within ${withinMs} ms`)),
      )
      plain.once('error', reject)
      plain.once('close', () => reject(new Error(`${host} closed the connection`)))
      plain.once('data', () => {
        plain.pause()
        // The certificate is read whether or not it is trusted; the connection of the bus checks that.
        const socket = connectTls({ socket: plain, rejectUnauthorized: false }, () => {
          const certificate = socket.getPeerX509Certificate()
          if (certificate) resolve(certificate)
          else reject(new Error(`${host} has no certificate`))
        })
        socket.once('error', reject)
      })
    })
  } finally {
    plain.destroy()
  }
}
