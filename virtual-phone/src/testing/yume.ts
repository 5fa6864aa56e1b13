/** For the tests of `@yume-chan/adb`: its daemon transport over TCP, and keys for it. */
import { generateKeyPairSync } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import {
  AdbDaemonTransport,
  AdbPacket,
  AdbPacketSerializeStream,
  type AdbCredentialStore,
  type AdbPrivateKey,
} from '@yume-chan/adb'
import {
  MaybeConsumable,
  pipeFrom,
  PushReadableStream,
  StructDeserializeStream,
  tryClose,
} from '@yume-chan/stream-extra'

/** Creates a host with one separate key. */
function credentialStore(): AdbCredentialStore {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key: AdbPrivateKey = {
    buffer: new Uint8Array(privateKey.export({ type: 'pkcs8', format: 'der' })),
    name: 'yume@test',
  }
  return { generateKey: () => key, iterateKeys: () => [key] }
}

function readableOf(socket: Socket): PushReadableStream<Uint8Array> {
  return new PushReadableStream<Uint8Array>((controller) => {
    socket.on('data', (data: Buffer) => {
      socket.pause()
      void controller.enqueue(new Uint8Array(data)).then(() => socket.resume())
    })
    socket.on('close', () => {
      tryClose(controller)
    })
  })
}

/** Connects directly to the phone's adbd, without an adb server. */
export async function connectDaemon(port: number): Promise<AdbDaemonTransport> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  // An error of the socket ends its streams.
  socket.on('error', () => undefined)
  const writable = new MaybeConsumable.WritableStream<Uint8Array>({
    write: (chunk) =>
      new Promise((resolve, reject) => {
        socket.write(chunk, (error) => {
          if (error) reject(error)
          else resolve()
        })
      }),
    close: () => {
      socket.destroy()
    },
  })
  return AdbDaemonTransport.authenticate({
    serial: `127.0.0.1:${port}`,
    connection: {
      readable: readableOf(socket).pipeThrough(new StructDeserializeStream(AdbPacket)),
      writable: pipeFrom(writable, new AdbPacketSerializeStream()),
    },
    credentialStore: credentialStore(),
  })
}
