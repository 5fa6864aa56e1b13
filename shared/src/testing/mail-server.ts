/** An SMTP server that keeps the mails that it gets. RFC 5321, as far as nodemailer needs it. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

export interface ReceivedMail {
  to: string[]
  /** Headers and text, without the escapes of quoted-printable that addresses and links need. */
  text: string
}

export interface MailServer {
  url: string
  mails: ReceivedMail[]
  close(): Promise<void>
}

const textOf = (data: string): string => data.replace(/=\r\n/g, '').replaceAll('=3D', '=')

/** @param port 0: a free port */
export async function startMailServer(port = 0): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let received = ''
    let to: string[] = []
    let isData = false
    const answer = (line: string): void => void socket.write(`${line}\r\n`)
    const take = (line: string): void => {
      const verb = line.slice(0, 4).toUpperCase()
      if (verb === 'RCPT') to.push(/<([^>]*)>/.exec(line)?.[1] ?? '')
      if (verb === 'DATA') isData = true
      if (verb === 'QUIT') answer('221 bye')
      else answer(verb === 'DATA' ? '354 go on' : '250 ok')
    }
    socket.setEncoding('utf8')
    socket.on('error', () => undefined)
    socket.on('data', (text: string) => {
      received += text
      for (;;) {
        const end = received.indexOf(isData ? '\r\n.\r\n' : '\r\n')
        if (end < 0) return
        const part = received.slice(0, end)
        received = received.slice(end + (isData ? 5 : 2))
        if (!isData) {
          take(part)
          continue
        }
        mails.push({ to, text: textOf(part) })
        to = []
        isData = false
        answer('250 taken')
      }
    })
    answer('220 test')
  })
  server.listen(port, '127.0.0.1')
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
