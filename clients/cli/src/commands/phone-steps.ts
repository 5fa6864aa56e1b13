/** `phone steps list|export`: the steps of a phone. */
import type { Step, StepExportForm } from '@phonerack/sdk'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { relative } from '../duration.js'
import { bytesError } from '../output.js'
import { noteMore, pageOf, pageOptions, type PageFlags } from '../pages.js'
import { phoneOf, splitOperands, usageOf } from '../phone-operand.js'
import { plainLine } from '../plain.js'
import { localName, requireFree, saveFile } from '../save.js'
import { table } from '../table.js'
import { UsageError } from '../usage-error.js'

/** The file endings of exports. */
const endings: Readonly<Record<StepExportForm, string>> = {
  html: 'html',
  jsonl: 'jsonl',
  ts: 'ts',
  python: 'py',
}

interface ListFlags extends PageFlags {
  session?: string
}

interface ExportFlags {
  as: string
  session?: string
  output?: string
  force?: boolean
}

export function addPhoneStepCommands(phone: Command, app: App): void {
  const steps = phone.command('steps').description('see what was done on a phone, and export it')
  app.on<ListFlags>(
    pageOptions(
      steps
        .command('list', { isDefault: true })
        .description('list its steps, the newest first')
        .argument('[phone]')
        .option('--session <id>', 'only steps of this session'),
    ),
    list,
  )
  app.on<ExportFlags>(
    steps
      .command('export')
      .description('write a session to a file: a replay, data, or a script')
      .argument('[phone]')
      .option('--as <form>', Object.keys(endings).join(', '), 'html')
      .option('--session <id>', 'the default is the last one that has steps')
      .option('-o, --output <file>', 'write it there; - is stdout; the default is the id of the phone')
      .option('--force', 'overwrite the file'),
    exportSession,
  )
  for (const command of steps.commands) command.usage(usageOf(command))
}

async function list(run: Run, operands: readonly string[], flags: ListFlags): Promise<void> {
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  const session = flags.session === undefined ? {} : { session: flags.session }
  // The table has only columns without screens.
  const observations = run.flags.json === true ? 'full' : 'none'
  const page = await pageOf(phone.steps.list({ ...run.call, ...session, observations }), flags)
  const text = table(
    page.data,
    [
      { title: 'STEP', value: ({ id }) => id },
      { title: 'WHEN', value: ({ started_at: at }) => relative(at, run.io.now()) },
      { title: 'STATUS', value: ({ status }) => plainLine(status) },
      { title: 'BY', value: ({ by }) => plainLine(`${by.via} ${by.client ?? by.key_name ?? ''}`.trim()) },
      { title: 'ACTIONS', value: (step) => actionsOf(step) },
    ],
    'There are no steps.',
  )
  await run.out.answer(page, text, page.data.map(({ id }) => id).join('\n'))
  await noteMore(run, page.next_cursor)
}

/** Actions by their names that are shown. */
const shown = 4

function actionsOf({ actions, completed }: Step): string {
  const names = actions.slice(0, shown).map(({ type }) => plainLine(type))
  const more = actions.length > shown ? `, ${actions.length - shown} more` : ''
  const done = completed === actions.length ? '' : ` (${completed} of ${actions.length} done)`
  return `${names.join(', ')}${more}${done}`
}

async function exportSession(run: Run, operands: readonly string[], flags: ExportFlags): Promise<void> {
  const { as, output } = flags
  if (!isForm(as)) throw new UsageError(`--as must be one of ${Object.keys(endings).join(', ')}, not ${as}.`)
  if (output === '-' && as === 'html' && run.io.isTerminal.out) throw bytesError()
  if (output !== undefined && output !== '-' && flags.force !== true) await requireFree(output)
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  const session = flags.session === undefined ? {} : { session: flags.session }
  const content = await run.out.during('Reading the steps', () =>
    phone.steps.export(as, { ...run.call, ...session }),
  )
  if (output === '-') return run.out.bytes(content)
  const file = output ?? localName(`${flags.session ?? phone.id}.${endings[as]}`)
  await saveFile(file, content, flags.force === true)
  await run.out.answer(
    { file, size: content.byteLength },
    `Wrote ${content.byteLength} bytes to ${plainLine(file)}.`,
    file,
  )
}

const isForm = (form: string): form is StepExportForm => Object.hasOwn(endings, form)
