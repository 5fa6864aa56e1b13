/** An SMTP server that keeps the mails that it gets. RFC 5321, as far as nodemailer needs it. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

export interface MailServer {
  url: string
  /** Headers and text of each mail, with long lines joined. */
  mails: string[]
  close(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const mails: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let received = ''
    let isData = false
    socket.setEncoding('utf8').write('220 test\r\n')
    socket.on('error', () => undefined)
    socket.on('data', (text: string) => {
      received += text
      for (;;) {
        const mark = isData ? '\r\n.\r\n' : '\r\n'
        const end = received.indexOf(mark)
        if (end < 0) return
        const part = received.slice(0, end)
        received = received.slice(end + mark.length)
        if (isData) mails.push(part.replace(/=\r\n/g, ''))
        isData = !isData && part.toUpperCase().startsWith('DATA')
        socket.write(isData ? '354 send it\r\n' : '250 ok\r\n')
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
