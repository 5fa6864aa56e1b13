/** The settings of TLS on the public listener. control-plane/src/api/README.md */
import { setting } from '@phonerack/shared/settings'
import { z } from 'zod'

export interface TlsFiles {
  /** PEM: the certificate, and the authorities between it and an authority that the proxy trusts. */
  certFile: string
  /** PEM. */
  keyFile: string
}

export const listenerTlsEnvironment = {
  PHONERACK_HTTP_CERT_FILE: setting(
    z.string().min(1).optional(),
    'PEM: certificate of the API, for a proxy in another network. With the next setting; without both, HTTP without TLS.',
  ),
  PHONERACK_HTTP_KEY_FILE: setting(z.string().min(1).optional(), 'PEM: the key of the certificate.'),
}

type Environment = z.infer<z.ZodObject<typeof listenerTlsEnvironment>>

export const isHalfTls = (env: Environment): boolean =>
  (env.PHONERACK_HTTP_CERT_FILE === undefined) !== (env.PHONERACK_HTTP_KEY_FILE === undefined)

export function readListenerTls(env: Environment): TlsFiles | null {
  const { PHONERACK_HTTP_CERT_FILE: certFile, PHONERACK_HTTP_KEY_FILE: keyFile } = env
  return certFile === undefined || keyFile === undefined ? null : { certFile, keyFile }
}
