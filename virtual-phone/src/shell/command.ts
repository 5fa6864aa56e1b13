/** A command of the phone's shell: a function from its arguments and streams to an exit code. */
import type { Android } from '../android/android.js'
import type { ProgramIo } from '../android/program.js'
import type { ByteSink, ByteSource } from '../android/streams.js'
import type { FileSystem } from '../fs/file-system.js'

export interface SpawnOptions {
  stdin?: ByteSource
  stdout?: ByteSink
  env?: Readonly<Record<string, string>>
}

export interface CommandIo extends ProgramIo {
  /** The command's name in the call. */
  readonly name: string
  /** The arguments without the name, as byte strings. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly pid: number
  /** The file system with the rights of user `shell`. */
  readonly fs: FileSystem
  readonly android: Android
  /** Writes a byte string. */
  out(text: string): Promise<void>
  err(text: string): Promise<void>
  /** Returns the absolute path of a name given by the user. */
  path(name: string): string
  /** Runs another command and waits for its exit code. */
  spawn(argv: readonly string[], options?: SpawnOptions): Promise<number>
}

/** Returns the exit code: 0 to 255. A thrown `FsError` or `UsageError` is printed and becomes 1. */
export type CommandRun = (io: CommandIo) => number | Promise<number>

export type CommandTable = Readonly<Record<string, CommandRun>>

/** Wrong arguments, with the command's own message. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message)
    this.name = 'UsageError'
  }
}
