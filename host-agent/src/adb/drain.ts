/** Reads the output of a command that runs for long, so that it never blocks, and detects its end. Created by users of `spawn`. */
import { AdbConnectionLost } from './errors.js'
import { readShellPacket, shellPacketId } from './shell-protocol.js'
import type { AdbSocket } from './socket.js'

type CommandEnd =
  | { readonly kind: 'exited'; readonly code: number | undefined }
  | { readonly kind: 'connection_lost' }
  /** The output is not valid. */
  | { readonly kind: 'unreadable'; readonly error: Error }

export interface Drained {
  /** Resolves at the end of the command. Never rejects, because no caller may be waiting at that time. */
  readonly ended: Promise<CommandEnd>
  readonly over: boolean
}

/** Passes each piece of output to `onOutput`, and closes the stream at the end. */
export function drain(stream: AdbSocket, onOutput: (data: Buffer) => void): Drained {
  let over = false
  const read = async (): Promise<CommandEnd> => {
    try {
      for (;;) {
        const { id, data } = await readShellPacket(stream)
        if (id === shellPacketId.exit) return { kind: 'exited', code: data[0] }
        onOutput(data)
      }
    } catch (error) {
      if (error instanceof AdbConnectionLost) return { kind: 'connection_lost' }
      return { kind: 'unreadable', error: error instanceof Error ? error : new Error(String(error)) }
    } finally {
      over = true
      // A phone can keep the stream open after the exit code.
      stream.close()
    }
  }
  return {
    ended: read(),
    get over() {
      return over
    },
  }
}

/** @param name names the command, such as `the UI server` */
export function describeEnd(end: CommandEnd, name: string, output: string): string {
  if (end.kind === 'connection_lost') return `the connection to ${name} ended`
  if (end.kind === 'unreadable') return `the output of ${name} cannot be read: ${end.error.message}`
  return `${name} exited with ${end.code ?? '?'}: ${output}`
}
