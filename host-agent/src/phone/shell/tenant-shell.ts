/** Runs a tenant's commands by adb's shell protocol, with bounded time and output. Used by `assemble.ts`. */
import { DeadlineExceeded, limits, ownNow, Progress, type ShellResult } from '@phonerack/shared'
import { AdbConnectionLost, AdbProtocolError } from '../../adb/errors.js'
import { withPid } from '../../adb/quote.js'
import { readShellPacket, shellPacket, shellPacketId } from '../../adb/shell-protocol.js'
import type { AdbSocket } from '../../adb/socket.js'
import type { Transport } from '../../adb/transport.js'
import { DeviceGone, InvalidAnswer } from '../../base/device-gone.js'
import type { Shell } from '../../adb/device/shell.js'
import { endProcesses, groupOf } from './processes.js'
import { createOutput, type Output } from './shell-output.js'

/**
 * Milliseconds. `endAborted`: the time to end the processes of an aborted command. A lifecycle call waits for this end,
 * and then for the host's mark (`devices/supervision/shell-use.ts`).
 */
const times = { open: 10_000, end: 5000, endAborted: 1500 }
/** Bytes of one packet of input, which every version of adbd accepts. */
const inputChunk = 32_768

type End = { kind: 'exited'; code: number } | { kind: 'printed_too_much' } | { kind: 'timed_out' }

/** @param onCommand called right before a command is sent */
export function createTenantShell(
  transport: Transport,
  onCommand: (command: string) => void,
): Pick<Shell, 'run'> {
  const onPhone = transport.pinned()

  /**
   * Ends the processes of a command. Succeeds when the phone has ended the command already, or does not list its
   * processes.
   */
  async function endCommand(pid: number | null, progress: Progress): Promise<void> {
    if (pid !== null) await endProcesses(onPhone, groupOf(pid), progress.within(times.end))
  }

  /**
   * Ends an aborted command, which would otherwise run until the session ends. The phone may not have printed the process
   * ID yet.
   */
  async function endAborted(output: Output, reading: Promise<unknown>): Promise<void> {
    const progress = Progress.for(times.endAborted)
    await progress.race('the start of a shell command', () => Promise.race([output.begun, reading]))
    await endCommand(output.pid, progress)
  }

  return {
    async run({ command, stdin, timeoutMs, outputLimit }, progress) {
      onCommand(command)
      const stream = await onPhone.spawn(withPid(command), progress.within(times.open))
      const startedAt = ownNow()
      const output = createOutput()
      const limit = progress.within(timeoutMs)
      let end: End
      let forget = (): void => undefined
      try {
        // A command may exit before it has read all input.
        const sending = send(stream, stdin)
        const timeout = new Promise<End>((resolve) => {
          forget = limit.onAbort(() => resolve({ kind: 'timed_out' }))
        })
        const reading = read(stream, output)
        end = await Promise.race([reading, timeout])
        // The processes are ended before the connection closes: adbd then sends SIGHUP to the shell only, and the
        // shell's children get another parent.
        if (end.kind !== 'exited')
          await (progress.expired ? endAborted(output, reading) : endCommand(output.pid, progress))
        if (progress.expired) throw new DeadlineExceeded('a shell command')
        stream.close()
        await sending
      } catch (error) {
        if (error instanceof AdbConnectionLost) throw new DeviceGone(onPhone.serial, error)
        if (error instanceof AdbProtocolError) throw new InvalidAnswer(onPhone.serial, error)
        throw error
      } finally {
        forget()
        stream.close()
      }
      const { stdout, stderr, truncated } = output.texts(outputLimit)
      return result(end, stdout, stderr, truncated, ownNow() - startedAt)
    },
  }
}

const result = (
  end: End,
  stdout: string,
  stderr: string,
  truncated: boolean,
  durationMs: number,
): ShellResult => ({
  stdout,
  stderr,
  exit_code: end.kind === 'exited' ? end.code : null,
  timed_out: end.kind === 'timed_out',
  truncated,
  duration_ms: Math.max(0, Math.round(durationMs)),
})

async function read(stream: AdbSocket, output: Output): Promise<End> {
  for (;;) {
    const { id, data } = await readShellPacket(stream)
    if (id === shellPacketId.exit) {
      if (data.length !== 1) throw new AdbProtocolError(`the exit code has ${data.length} bytes`)
      return { kind: 'exited', code: data.readUInt8(0) }
    }
    if (id === shellPacketId.stdout) output.add('stdout', data)
    else if (id === shellPacketId.stderr) output.add('stderr', data)
    if (output.printed > limits.shell.printed) return { kind: 'printed_too_much' }
  }
}

/** Never throws: `read` reports a broken connection. */
async function send(stream: AdbSocket, stdin: string): Promise<void> {
  const bytes = Buffer.from(stdin)
  try {
    for (let at = 0; at < bytes.length; at += inputChunk)
      await stream.write(shellPacket(shellPacketId.stdin, bytes.subarray(at, at + inputChunk)))
    await stream.write(shellPacket(shellPacketId.closeStdin, new Uint8Array()))
  } catch (error) {
    if (!(error instanceof AdbConnectionLost)) throw error
  }
}
