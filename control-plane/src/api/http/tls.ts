/** TLS of the public listener, for a proxy that reaches it over a network. */
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { Server as TlsServer } from 'node:tls'
import type { Logger } from '@phonerack/shared'
import type { TlsFiles } from '../../base/config/listener-tls.js'

/** Milliseconds of a handshake, and between two checks of the files. */
export const handshakeTimeout = 10_000
const checkMs = 60_000

interface Pair {
  cert: string
  key: string
}

/** @throws Error when a file cannot be read */
export const readTls = ({ certFile, keyFile }: TlsFiles): Pair => ({
  cert: readFileSync(certFile, 'utf8'),
  key: readFileSync(keyFile, 'utf8'),
})

/** Uses a renewed certificate for new connections, and keeps the current certificate if the files are not valid. */
export function followTls(
  server: Server,
  files: TlsFiles,
  log: Pick<Logger, 'info' | 'error'>,
  everyMs = checkMs,
): void {
  if (!(server instanceof TlsServer)) return
  let used = JSON.stringify(readTls(files))
  const reload = (): void => {
    try {
      const pair = readTls(files)
      const found = JSON.stringify(pair)
      if (found === used) return
      server.setSecureContext(pair)
      used = found
      log.info({ file: files.certFile }, 'the renewed certificate of the listener is in use')
    } catch (error) {
      log.error({ err: error, file: files.certFile }, 'the certificate of the listener cannot be renewed')
    }
  }
  const timer = setInterval(reload, everyMs)
  timer.unref()
  server.on('close', () => clearInterval(timer))
}
