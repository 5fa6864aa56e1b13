/**
 * Serves `GET /metrics` in the text format of Prometheus. The separate port has no authentication, so it may
 * listen only on the loopback address or in a private network. Used by the main programs.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { type Logger } from '../log.js'
import { Progress } from '../progress.js'
import { type Listen } from './listen.js'

/** Prometheus's text format 0.0.4. */
const contentType = 'text/plain; version=0.0.4; charset=utf-8'
/** Milliseconds for one answer, below the 10 s that Prometheus waits. */
const renderMs = 8000
/** Milliseconds in which a request must arrive, and after which an idle connection closes. */
const requestMs = 5000
const maxConnections = 20

interface MetricsListener {
  port: number
  close(): Promise<void>
}

/**
 * @param render the metrics as text; called once for scrapes that arrive at the same time
 * @throws Error when the address is in use
 */
export async function serveMetrics(
  { host, port }: Listen,
  render: () => Promise<string>,
  log: Logger,
): Promise<MetricsListener> {
  let rendering: Promise<string> | null = null
  const shared = (): Promise<string> => {
    rendering ??= render().finally(() => (rendering = null))
    return rendering
  }
  const server = createServer(
    { requestTimeout: requestMs, headersTimeout: requestMs },
    (request, response) => {
      const path = (request.url ?? '').split('?', 1)[0]
      if (path !== '/metrics') return answer(response, 404, 'The metrics are at /metrics.\n')
      if (request.method !== 'GET') return answer(response, 405, 'Use GET.\n', { allow: 'GET' })
      Progress.for(renderMs)
        .race('the metrics', shared)
        .then(
          (text) => answer(response, 200, text, { 'content-type': contentType }),
          (error: unknown) => {
            log.warn({ err: error }, 'could not collect the metrics')
            answer(
              response,
              503,
              'The metrics could not be collected. The log of the program has the reason.\n',
            )
          },
        )
    },
  )
  server.keepAliveTimeout = requestMs
  server.maxConnections = maxConnections
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function answer(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    ...headers,
  })
  response.end(text)
}
