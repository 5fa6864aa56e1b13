/** Shell commands on a phone. Used by `phone.ts`. */
import type { Connection } from './connection.js'
import { runShell } from './generated/sdk.gen.js'
import type { ShellResult } from './generated/types.gen.js'
import type { CallOptions } from './transport.js'

export interface ShellOptions extends CallOptions {
  /** Milliseconds after which the command is ended. Default: 10,000. */
  timeout?: number | undefined
  stdin?: string | undefined
}

/** @throws OutcomeUnknownError, PermissionError where shell commands are off; not for a command that fails */
export const runOn = (
  connection: Connection,
  id: string,
  command: string,
  { timeout, stdin, ...options }: ShellOptions,
): Promise<ShellResult> =>
  runShell({
    ...connection.sending(options),
    path: { id },
    body: { command, stdin, timeout: timeout === undefined ? undefined : timeout / 1000 },
  })
