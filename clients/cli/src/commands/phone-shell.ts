/** `phone shell`: runs a command in the shell of a phone, and ends with its exit code. */
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { durationMs } from '../duration.js'
import { plainLines } from '@phonerack/shared/plain'
import { phoneOf, splitOperands } from '../phone-operand.js'
import { readAll } from '../stdin.js'
import { ExitWith } from '../usage-error.js'

interface ShellFlags {
  timeout?: string
  stdin?: boolean
}

/** The exit code of a command that its timeout ended, as of `timeout` of coreutils. */
const timedOut = 124

export function addPhoneShellCommand(phone: Command, app: App): void {
  app.on<ShellFlags>(
    phone
      .command('shell')
      .description('run a command in the shell of the phone: shell job -- ls -la; ends with its exit code')
      .argument('[phone]')
      .argument('[command...]')
      .option('--timeout <duration>', 'end the command after this time; default 10s, at most 60s')
      .option('--stdin', 'pass stdin to the command'),
    shell,
  )
}

async function shell(run: Run, operands: readonly string[], flags: ShellFlags): Promise<void> {
  const { phone: given, rest } = operandsOf(operands)
  const phone = await phoneOf(run, given)
  const stdin = flags.stdin === true ? (await readAll(run.io)).toString('utf8') : undefined
  const timeout = flags.timeout === undefined ? undefined : durationMs(flags.timeout, '--timeout')
  const result = await phone.shell(rest.join(' '), { ...run.call, stdin, timeout })
  const { stdout, stderr, exit_code: code, timed_out: isLate, truncated } = result
  if (run.out.json) await run.out.answer(result, '')
  else {
    const { isTerminal } = run.io
    await run.io.out(isTerminal.out ? plainLines(stdout) : stdout)
    await run.io.err(isTerminal.err ? plainLines(stderr) : stderr)
    if (truncated) await run.out.note('The command printed more than 1 MB; the rest is missing.')
    if (isLate) await run.out.note('The timeout ended the command.')
  }
  if (code !== 0) throw new ExitWith(code ?? (isLate ? timedOut : 1))
}

/** One operand is a command for the default phone. */
function operandsOf(operands: readonly string[]): { phone: string | null; rest: readonly string[] } {
  const [first = null, ...words] = operands
  return words.length > 1 ? { phone: first, rest: words } : splitOperands(operands, ['command'])
}
