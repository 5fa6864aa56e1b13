/** A watcher of the live view without a browser: a plain WebSocket. Used by the bench of the live view. */
import { WebSocket } from 'ws'

export interface Reader {
  close(): void
}

/**
 * Resolves with the first video. A `stalled` reader acknowledges nothing, so that the server soon stops
 * sending.
 */
export function openReader(url: string, stalled: boolean): Promise<Reader> {
  const { origin, host, hash } = new URL(url)
  const socket = new WebSocket(`ws://${host}/live/socket`, 'phonerack.live.2', { origin })
  let bytes = 0
  let acknowledged = 0
  socket.on('open', () => socket.send(JSON.stringify({ type: 'open', token: hash.slice(1) })))
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('a reader got no video')), 30_000)
    socket.on('error', reject)
    let isClosing = false
    socket.on('close', (code, reason) => {
      const words = `a reader ended: ${code} ${reason.toString()}`
      // The promise can no longer be rejected, so the close is reported to the reader of the figures.
      if (!isClosing) process.stdout.write(`${words}\n`)
      reject(new Error(words))
    })
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return
      clearTimeout(late)
      resolve({
        close() {
          isClosing = true
          socket.terminate()
        },
      })
      bytes += data.length
      if (stalled || bytes - acknowledged < 32_768) return
      acknowledged = bytes
      socket.send(JSON.stringify({ type: 'ack', bytes }))
    })
  })
}
