/**
 * The baseline for an upload URL: Node's HTTP server writes each body to a file in the given folder, and
 * answers. Runs in a separate process, which prints its port.
 */
import { createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'

const dir = process.argv[2]
if (dir === undefined) throw new Error('give a folder')
const server = createServer((request, response) => {
  pipeline(request, createWriteStream(path.join(dir, 'bare-upload')))
    .then(() => response.end('{}'))
    .catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      response.destroy()
    })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${address && typeof address === 'object' ? address.port : 0}\n`)
})
process.once('SIGTERM', () => {
  server.closeAllConnections()
  server.close()
})
