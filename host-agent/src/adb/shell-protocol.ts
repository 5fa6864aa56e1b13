/** Shell protocol v2 (AOSP `adb/shell_protocol.h`): packets of one byte id, four bytes little-endian length, data. */
import { AdbConnectionLost, AdbProtocolError } from './errors.js'
import { GrowingBuffer } from './growing-buffer.js'
import type { AdbSocket } from './socket.js'

export interface ShellResult {
  exitCode: number
  /** Raw bytes. */
  stdout: Buffer
  stderr: Buffer
}

/** AOSP `shell_protocol.h`, `ShellProtocol::Id`. */
export const shellPacketId = {
  stdin: 0,
  stdout: 1,
  stderr: 2,
  exit: 3,
  closeStdin: 4,
  windowSizeChange: 5,
  invalid: 255,
} as const

/** Reads one packet. @throws AdbConnectionLost at the end of the stream */
export async function readShellPacket(socket: AdbSocket): Promise<{ id: number; data: Buffer }> {
  const header = await socket.read(5)
  const length = header.readUInt32LE(1)
  // The limit is far above the maximum payload of every adbd version.
  if (length > 16 << 20) throw new AdbProtocolError(`shell packet of ${length} bytes`)
  return { id: header.readUInt8(0), data: await socket.read(length) }
}

/** Reads a command's output until its exit code. @throws AdbConnectionLost when the stream ends before the exit code */
export async function readShellPackets(socket: AdbSocket, limit: number): Promise<ShellResult> {
  const stdout = new GrowingBuffer()
  const stderr = new GrowingBuffer()
  for (;;) {
    const { id, data } = await readShellPacket(socket)
    if (id === shellPacketId.exit) {
      if (data.length !== 1) throw new AdbProtocolError(`the exit code has ${data.length} bytes`)
      return { exitCode: data.readUInt8(0), stdout: stdout.whole(), stderr: stderr.whole() }
    }
    if (stdout.length + stderr.length + data.length > limit)
      throw new AdbProtocolError(`a command printed more than ${limit} bytes`)
    if (id === shellPacketId.stdout) stdout.add(data)
    else if (id === shellPacketId.stderr) stderr.add(data)
  }
}

/** Sends a command its stdin with back-pressure and reads its output. The command may exit before it has read all input. */
export async function feedShell(
  socket: AdbSocket,
  input: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<ShellResult> {
  let over = false
  const reading = readShellPackets(socket, limit).finally(() => {
    over = true
    // Ends a write that waits for the command to read.
    socket.close()
  })
  const send = async (): Promise<void> => {
    for await (const chunk of input) {
      if (over) return
      await socket.write(shellPacket(shellPacketId.stdin, chunk))
    }
    if (!over) await socket.write(shellPacket(shellPacketId.closeStdin, new Uint8Array()))
  }
  const sending = send().catch((error: unknown) => {
    // `reading` reports the broken connection.
    if (error instanceof AdbConnectionLost) return
    socket.close()
    throw error
  })
  const [result] = await Promise.allSettled([reading, sending])
  await sending
  if (result.status === 'rejected') throw result.reason
  return result.value
}

/** Writes one packet. */
export function shellPacket(id: number, data: Uint8Array): Buffer {
  const header = Buffer.alloc(5)
  header.writeUInt8(id, 0)
  header.writeUInt32LE(data.length, 1)
  return Buffer.concat([header, data])
}
