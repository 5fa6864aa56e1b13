/** Input and output of a command, which tests provide. */
export interface Io {
  out(text: string): void
  err(text: string): void
  env: NodeJS.ProcessEnv
  stdin: NodeJS.ReadableStream
}
