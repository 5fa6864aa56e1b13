/** `phone prompt`: runs commands of one phone, typed without `phonerack phone` and the phone. */
import { createInterface, type Interface } from 'node:readline'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import type { App, Run, RunLine } from '../app.js'
import { exitCodes } from '../failure.js'
import type { Io } from '../io.js'
import { phoneOf, splitOperands } from '../phone-operand.js'
import { plain, plainLines } from '@phonerack/shared/plain'
import type { Session } from '../session.js'
import { Cancelled, ExitWith, UsageError } from '../usage-error.js'
import { wordsOf } from '../words.js'

export function addPhonePromptCommand(phone: Command, app: App): void {
  app.on(
    phone
      .command('prompt')
      .description('type commands for a phone: observe, tap 3, tap --text Next, type hello, quit')
      .argument('[phone]'),
    (run, operands) => prompt(run, operands, phone, app.runLine),
  )
}

async function prompt(
  run: Run,
  operands: readonly string[],
  group: Command,
  runLine: RunLine,
): Promise<void> {
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  await phone.refresh(run.call)
  const session = (await run.session()).withPhone(phone.id)
  await run.out.note(
    `${plain(phone.name)} is ${plain(phone.status)}. \`help\` lists the commands, \`quit\` leaves.`,
  )
  const isTerminal = run.io.isTerminal.in && run.io.isTerminal.err
  const lines = createInterface({
    input: run.io.stdin,
    terminal: isTerminal,
    historySize: 200,
    ...(isTerminal ? { output: process.stderr, prompt: `${plain(phone.name)}> ` } : {}),
    completer: (line: string) => completionsOf(line, group),
  })
  await readLines(lines, { run, session, group, isTerminal, runLine })
}

interface Prompt {
  run: Run
  session: Session
  group: Command
  isTerminal: boolean
  runLine: RunLine
}

async function readLines(
  lines: Interface,
  { run: outer, session, group, isTerminal, runLine }: Prompt,
): Promise<void> {
  let stop: AbortController | null = null
  lines.on('SIGINT', () => {
    if (stop === null) lines.close()
    else stop.abort(new Cancelled('Interrupted.', true))
  })
  const close = (): void => lines.close()
  outer.io.signal.addEventListener('abort', close)
  const closed = new AbortController()
  lines.once('close', () => closed.abort())
  /** The end of stdin and Ctrl-C count as no. */
  const ask = (question: string, signal: AbortSignal): Promise<string> =>
    new Promise((resolve) => {
      if (closed.signal.aborted || signal.aborted) return resolve('')
      const answer = (text: string): void => {
        lines.off('close', none)
        signal.removeEventListener('abort', none)
        resolve(text)
      }
      const none = (): void => answer('')
      lines.once('close', none)
      signal.addEventListener('abort', none)
      lines.question(question, { signal }, answer)
    })
  try {
    if (isTerminal) lines.prompt()
    for await (const line of lines) {
      if (/^\s*(?:quit|exit)\s*$/.test(line)) break
      stop = new AbortController()
      const signal = isTerminal ? stop.signal : outer.io.signal
      const onTerminal = isTerminal ? { ask: (question: string) => ask(question, signal) } : {}
      const io: Io = { ...outer.io, signal, stdin: Readable.from([]), ...onTerminal }
      const exitCode = await one(line, io)
      stop = null
      // A script ends at its first failure.
      if (!isTerminal && exitCode !== exitCodes.ok) throw new ExitWith(exitCode)
      if (isTerminal && !closed.signal.aborted) lines.prompt()
    }
  } finally {
    outer.io.signal.removeEventListener('abort', close)
    lines.close()
  }

  async function one(line: string, io: Io): Promise<number> {
    try {
      const words = promptWords(line, group, session.defaultPhone ?? '')
      return words === null ? exitCodes.ok : await runLine([...flagsOf(outer), ...words], io, session)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      await io.err(`error: ${plainLines(error.message)}\n`)
      return exitCodes.usage
    }
  }
}

const flagsOf = ({ flags }: Run): string[] => [
  ...(flags.json === true ? ['--json'] : []),
  ...(flags.quiet === true ? ['--quiet'] : []),
  ...(flags.yes === true ? ['--yes'] : []),
]

/**
 * The complete command line of a line; null: the line is empty. A number after commands such as `tap` means `--ref`.
 */
function promptWords(line: string, group: Command, phoneId: string): string[] | null {
  const [name, ...rest] = wordsOf(line)
  if (name === undefined || name.startsWith('#')) return null
  if (name === 'help') return ['phone', ...rest, '--help']
  const command = group.commands.find((each) => each.name() === name)
  if (command === undefined || name === 'prompt')
    throw new UsageError(`There is no command \`${plain(name)}\`. \`help\` lists them.`)
  const takesPhone = command.registeredArguments[0]?.name() === 'phone'
  const takesRef =
    command.options.some(({ long }) => long === '--ref') && command.registeredArguments.length === 1
  const isRef = takesRef && /^\d+$/.test(rest[0] ?? '')
  const operands = isRef ? ['--ref', ...rest] : rest
  // The rest of the line belongs to the shell command, with its options.
  const end = name === 'shell' ? ['--'] : []
  return ['phone', name, ...(takesPhone ? [phoneId] : []), ...end, ...operands]
}

function completionsOf(line: string, group: Command): [string[], string] {
  const names = [...group.commands.map((command) => command.name()), 'help', 'quit']
  return [names.filter((name) => name.startsWith(line)), line]
}
