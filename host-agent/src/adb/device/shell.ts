/** The capability to run a tenant's commands in the shell of a phone. docs/decisions/0320 */
import type { Progress, ShellResult } from '@phonerack/shared'

export interface ShellRequest {
  command: string
  /** Empty when the command reads the end of its input immediately. */
  stdin: string
  timeoutMs: number
  /** Bytes of the output as JSON. */
  outputLimit: number
}

export interface Shell {
  /** Call it before the first command of a batch. @throws ApiError shell_not_allowed, rate_limited: nothing was done */
  admit(progress: Progress): Promise<void>
  /**
   * Runs a command once. Its timeout ends it, with the processes that it started in its process group.
   * @throws DeviceGone, DeadlineExceeded: the command may run
   */
  run(request: ShellRequest, progress: Progress): Promise<ShellResult>
}
