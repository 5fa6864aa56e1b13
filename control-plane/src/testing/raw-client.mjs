// A client in its own process that writes HTTP to a bare socket, as a program without an HTTP library does.
// argv[2]: JSON {port, key, path, bytes, mode, tries}. Prints a JSON array of {status, request_id, code, error?}.
import { connect } from 'node:net'
import { clearTimeout, setTimeout } from 'node:timers'

const { port, key, path, bytes, mode, tries, parallel = 5 } = JSON.parse(process.argv[2])

const head = (lines) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: api.test',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n')

const filler = (size) => Buffer.alloc(size, 0x20)

function* chunked(total) {
  for (let left = total; left > 0; left -= 16_384) {
    const size = Math.min(left, 16_384)
    yield Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), filler(size), Buffer.from('\r\n')])
  }
  yield Buffer.from('0\r\n\r\n')
}

/** Writes the whole request before it reads any byte, like a blocking client. */
async function writeAll(socket, parts) {
  for (const part of parts)
    await new Promise((resolve, reject) => socket.write(part, (error) => (error ? reject(error) : resolve())))
}

function readAnswer(socket) {
  return new Promise((resolve) => {
    let text = ''
    const timer = setTimeout(() => socket.destroy(new Error('no answer within 15 s')), 15_000)
    const done = (error) => {
      clearTimeout(timer)
      const [, status] = /^(?:HTTP\/1\.1 100 [^\r]*\r\n\r\n)?HTTP\/1\.1 (\d{3})/.exec(text) ?? []
      const [, requestId] = /x-request-id: (\S+)/i.exec(text) ?? []
      const [, code] = /"code":"(\w+)"/.exec(text) ?? []
      socket.destroy()
      resolve({
        status: Number(status ?? 0),
        requestId,
        code,
        continued: text.startsWith('HTTP/1.1 100'),
        error: error?.message,
      })
    }
    socket.on('data', (data) => {
      text += data
      if (/"error":\{.*\}\}$/s.test(text)) done()
    })
    socket.once('error', done)
    socket.once('close', () => done())
  })
}

async function attempt() {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  await new Promise((resolve) => socket.once('connect', resolve))
  if (mode === 'expect') {
    socket.write(head([`Content-Length: ${bytes}`, 'Expect: 100-continue']))
    socket.resume()
    return readAnswer(socket)
  }
  let failed
  try {
    if (mode === 'chunked') await writeAll(socket, [head(['Transfer-Encoding: chunked']), ...chunked(bytes)])
    else await writeAll(socket, [head([`Content-Length: ${bytes}`]), filler(bytes)])
  } catch (error) {
    failed = error
  }
  const answer = readAnswer(socket)
  socket.resume()
  return failed ? { ...(await answer), error: failed.message } : answer
}

const answers = []
for (let done = 0; done < tries; done += parallel)
  answers.push(...(await Promise.all(Array.from({ length: Math.min(parallel, tries - done) }, attempt))))
process.stdout.write(JSON.stringify(answers))
