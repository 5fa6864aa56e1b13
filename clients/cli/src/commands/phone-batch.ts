/** `phone batch`: batches of actions as JSON lines, over one connection. */
import { ActionError, ConnectionError, PhonerackError, type Action, type Phone } from '@phonerack/sdk'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { envelopeOf, exitCodeOf, exitCodes } from '../failure.js'
import { phoneOf, splitOperands } from '../phone-operand.js'
import { plainJson } from '@phonerack/shared/plain'
import { openFile } from '../save.js'
import { linesOf } from '../stdin.js'
import { ExitWith, UsageError } from '../usage-error.js'

interface BatchFlags {
  observe: string
  keepGoing?: boolean
}

const observed = ['none', 'ui', 'text', 'changes', 'auto', 'screenshot', 'both'] as const
type Observed = (typeof observed)[number]

export function addPhoneBatchCommands(phone: Command, app: App): void {
  app.on<BatchFlags>(
    phone
      .command('batch')
      .description('run batches of actions from JSON lines: an action or an array of actions a line')
      .argument('[phone]')
      .argument('[file]', '- is stdin')
      .option(
        '--observe <what>',
        'screen in each result: none, ui, text, changes, auto, screenshot or both',
        'ui',
      )
      .option('--keep-going', 'run the rest after a batch that failed'),
    batch,
  )
}

async function batch(run: Run, operands: readonly string[], flags: BatchFlags): Promise<void> {
  const { phone: given, rest } = splitOperands(operands, ['file'])
  if (!observed.includes(flags.observe as Observed))
    throw new UsageError(`\`--observe\` must be ${observed.join(', ')}.`)
  const file = rest[0] ?? '-'
  const phone = await phoneOf(run, given)
  const stdin = file === '-' ? run.io.stdin : (await openFile(file)).createReadStream()
  let exitCode: number = exitCodes.ok
  let number = 0
  for await (const line of linesOf({ stdin, signal: run.io.signal })) {
    number += 1
    if (line.trim() === '') continue
    const one = await batchOf(run, phone, actionsOf(line, number), flags.observe as Observed)
    await run.io.out(`${plainJson(JSON.stringify(one.answer))}\n`)
    if (one.exitCode === exitCodes.ok) continue
    exitCode = one.exitCode
    // The next batch would act on an unknown screen.
    if (exitCode === exitCodes.unknownOutcome || flags.keepGoing !== true) break
  }
  if (exitCode !== exitCodes.ok) throw new ExitWith(exitCode)
}

/** @throws UsageError with the number of the line */
export function actionsOf(line: string, number: number): Action[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    throw new UsageError(`Line ${number} is not JSON.`)
  }
  const actions: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  if (
    actions.length > 0 &&
    actions.every((each) => typeof each === 'object' && each !== null && 'type' in each)
  )
    return actions as Action[]
  throw new UsageError(`Line ${number} must be an action with a \`type\`, or an array of actions.`)
}

/**
 * Runs one batch. A refusal is an answer too, so that each line gets an answer. An unknown outcome or a lost connection
 * ends the command.
 */
async function batchOf(
  run: Run,
  phone: Phone,
  actions: readonly Action[],
  observe: Observed,
): Promise<{ answer: unknown; exitCode: number }> {
  try {
    const { raw } = await phone.act(actions, { ...run.call, observe })
    return { answer: raw, exitCode: exitCodes.ok }
  } catch (error) {
    if (error instanceof ActionError) return { answer: error.raw, exitCode: exitCodeOf(error) }
    const isOver = error instanceof ConnectionError || exitCodeOf(error) === exitCodes.unknownOutcome
    if (isOver || !(error instanceof PhonerackError)) throw error
    return { answer: { error: envelopeOf(error) }, exitCode: exitCodeOf(error) }
  }
}
