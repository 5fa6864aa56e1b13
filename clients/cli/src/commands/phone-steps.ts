/** `phone steps list|show|shot|export`: the steps of a phone. */
import type { Step, StepExportForm } from '@phonerack/sdk'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { relative } from '../duration.js'
import { bytesError } from '../output.js'
import { noteMore, pageOf, pageOptions, type PageFlags } from '../pages.js'
import { phoneOf, splitOperands, usageOf } from '../phone-operand.js'
import { plain, plainLines } from '@phonerack/shared/plain'
import { localName, requireFree, saveFile } from '../save.js'
import { record, table } from '../table.js'
import { UsageError } from '../usage-error.js'

/** The file extensions of exports. */
const endings: Readonly<Record<StepExportForm, string>> = {
  html: 'html',
  jsonl: 'jsonl',
  ts: 'ts',
  python: 'py',
}

interface ListFlags extends PageFlags {
  session?: string
}

interface ShotFlags {
  output?: string
  force?: boolean
}

interface ExportFlags extends ShotFlags {
  as: string
  session?: string
}

export function addPhoneStepCommands(phone: Command, app: App): void {
  const steps = phone.command('steps').description('list and export the steps of a phone')
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
  app.on(
    steps.command('show').description('print a step with its results').argument('[phone]').argument('<step>'),
    show,
  )
  app.on<ShotFlags>(
    steps
      .command('shot')
      .description('write the picture of a step to a file')
      .argument('[phone]')
      .argument('<step>')
      .option('-o, --output <file>', 'the file to write; - is stdout; the default is the id of the step')
      .option('--force', 'overwrite the file'),
    shot,
  )
  app.on<ExportFlags>(
    steps
      .command('export')
      .description('write a session to a file: a replay, data, or a script')
      .argument('[phone]')
      .option('--as <form>', Object.keys(endings).join(', '), 'html')
      .option('--session <id>', 'the default is the last one that has steps')
      .option(
        '-o, --output <file>',
        'the file to write; - is stdout; the default is the ID of the session or the phone',
      )
      .option('--force', 'overwrite the file'),
    exportSession,
  )
  for (const command of steps.commands) command.usage(usageOf(command))
}

async function list(run: Run, operands: readonly string[], flags: ListFlags): Promise<void> {
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  const session = flags.session === undefined ? {} : { session: flags.session }
  // The table has no column for the screen.
  const observations = run.flags.json === true ? 'full' : 'none'
  const page = await pageOf(phone.steps.list({ ...run.call, ...session, observations }), flags)
  const text = table(
    page.data,
    [
      { title: 'STEP', value: ({ id }) => id },
      { title: 'WHEN', value: ({ started_at: at }) => relative(at, run.io.now()) },
      { title: 'STATUS', value: ({ status }) => plain(status) },
      { title: 'BY', value: senderOf },
      { title: 'ACTIONS', value: (step) => actionsOf(step) },
    ],
    'There are no steps.',
  )
  await run.out.answer(page, text, page.data.map(({ id }) => id).join('\n'))
  await noteMore(run, page.next_cursor)
}

const senderOf = ({ by }: Step): string => plain(`${by.via} ${by.client ?? by.key_name ?? ''}`.trim())

/** The number of actions that a line names. */
const shown = 4

function actionsOf({ actions, completed }: Step): string {
  const names = actions.slice(0, shown).map(({ type }) => plain(type))
  const more = actions.length > shown ? `, ${actions.length - shown} more` : ''
  const done = completed === actions.length ? '' : ` (${completed} of ${actions.length} done)`
  return `${names.join(', ')}${more}${done}`
}

async function show(run: Run, operands: readonly string[]): Promise<void> {
  const { phone: given, rest } = splitOperands(operands, ['step'])
  const phone = await phoneOf(run, given)
  const observations = run.flags.json === true ? 'full' : 'text'
  const step = await phone.steps.get(rest[0] ?? '', { ...run.call, observations })
  await run.out.answer(step, stepText(step), step.id)
}

function stepText(step: Step): string {
  const { by, picture, error } = step
  const facts = record([
    ['id', step.id],
    ['status', step.status],
    ['started', step.started_at],
    ['duration', step.duration_ms === null ? null : `${step.duration_ms} ms`],
    ['by', senderOf(step)],
    ['key', by.key_name ?? by.key_id],
    ['error', error === null ? null : `${error.code}: ${error.message}`],
    ['picture', picture === null ? null : `${picture.width}x${picture.height} ${picture.format}`],
  ])
  const screen = step.after ?? step.before
  return [
    facts,
    ...step.actions.map((action, index) => actionLine(action, step.results[index])),
    ...(screen === null ? [] : [plainLines(screen.text)]),
  ].join('\n')
}

/** `ok  {"type":"tap",…}`. An action without a result did not start, or its outcome is unknown. */
function actionLine(action: Step['actions'][number], result: Step['results'][number] | undefined): string {
  const outcome = result === undefined ? '-' : result.ok ? 'ok' : (result.error?.code ?? 'failed')
  return plain(`${outcome}  ${JSON.stringify(action)}`)
}

async function shot(run: Run, operands: readonly string[], flags: ShotFlags): Promise<void> {
  const { phone: given, rest } = splitOperands(operands, ['step'])
  const [id = ''] = rest
  const { output } = flags
  if (output === '-' && run.io.isTerminal.out) throw bytesError()
  if (output !== undefined && output !== '-' && flags.force !== true) await requireFree(output)
  const phone = await phoneOf(run, given)
  const picture = await phone.steps.screenshot(id, run.call)
  if (output === '-') return run.out.bytes(picture)
  const file = output ?? localName(`${id}.${isPng(picture) ? 'png' : 'jpg'}`)
  await saveFile(file, picture, flags.force === true)
  await run.out.answer({ file, size: picture.byteLength }, file, file)
}

/** The API sends PNG or JPEG. PNG begins with 0x89, JPEG with 0xff. */
const isPng = (picture: Uint8Array): boolean => picture[0] === 0x89

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
    `Wrote ${content.byteLength} bytes to ${plain(file)}.`,
    file,
  )
}

const isForm = (form: string): form is StepExportForm => Object.hasOwn(endings, form)
