/**
 * A bare server with the pages to which the bench of the console compares: a page with one button, and a page
 * with a list of lines.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'

export interface BarePages {
  url: string
  stop(): Promise<void>
}

/** @param rows the number of lines of the page `/list` */
export async function startBarePages(rows: number): Promise<BarePages> {
  const button = `<button onclick="document.title = 'answered'">press</button>`
  const lines = Array.from({ length: rows }, (_, at) => `<li>phone ${at + 1}</li>`).join('')
  const server = createServer((request, response) => {
    const isList = request.url === '/list'
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(
      isList
        ? `<!doctype html><style>li { height: 84px }</style><title>list</title><ul>${lines}</ul>`
        : `<!doctype html><title>bare</title>${button}`,
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
