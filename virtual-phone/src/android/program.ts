/**
 * The context of a program on the phone: a shell command, or the scrcpy server that `app_process` starts.
 * Texts are byte strings: each character is one byte (0 to 255), like file names and arguments on Linux;
 * `decode` and `encode` of `shell/bytes.ts` convert from and to UTF-8.
 */
import type { PhoneSockets } from './sockets.js'
import type { ByteSink, ByteSource } from './streams.js'
import type { World } from './world.js'

export interface ProgramIo {
  stdin: ByteSource
  stdout: ByteSink
  stderr: ByteSink
  /** Aborted when the process is killed, or the stream that started it ends. */
  signal: AbortSignal
}

/**
 * The signature of `src/scrcpy/index.ts`: `runScrcpyServer(invocation)` resolves with the exit code when the
 * server ends. `args` follow the class name: the version, and then `key=value`.
 */
export interface ScrcpyInvocation extends ProgramIo {
  args: readonly string[]
  sockets: PhoneSockets
  world: World
  /** `ro.product.model`, for the device name in the first 64 bytes. */
  model: string
  /** Version of the pushed jar, for example `3.3.3`. */
  serverVersion: string
  /** Milliseconds since the phone started, which is the video's clock. */
  uptimeMs: () => number
  /** Removes the jar, as the server does at its start with `cleanup=true`. */
  removeJar: () => Promise<void>
}

export type ScrcpyServer = (invocation: ScrcpyInvocation) => Promise<number>
