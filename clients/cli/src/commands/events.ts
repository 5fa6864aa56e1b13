/** `events`: follows new events of the project, or lists past events. */
import type {
  EventGap,
  EventsOptions,
  PastEventsOptions,
  PhonerackError,
  PhonerackEvent,
} from '@phonerack/sdk'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { noteMore, pageOf, pageOptions, type PageFlags } from '../pages.js'
import { plain } from '@phonerack/shared/plain'
import { UsageError } from '../usage-error.js'

interface EventFlags extends PageFlags {
  past?: boolean
  type?: string
  phone?: string
  after?: string
}

export function addEventsCommand(program: Command, app: App): void {
  const command = program
    .command('events')
    .description('follow new events until Ctrl-C; with --past, list past events')
    .option('--type <type>', 'only events of this type, such as phone.ready')
    .option('--phone <id>', 'only events of this phone')
    .option('--after <event>', 'begin after the event with this id instead of now')
    .option('--past', 'list past events, newest first, instead of following new ones')
  app.on<EventFlags>(pageOptions(command), (run, operands, flags) =>
    flags.past === true ? pastEvents(run, flags) : events(run, operands, flags),
  )
}

async function pastEvents(run: Run, flags: EventFlags): Promise<void> {
  if (flags.after !== undefined)
    throw new UsageError('`--after` is not for past events.', 'Use `--cursor` for the next page.')
  const { client } = await run.session()
  const options = {
    ...run.call,
    ...(flags.type === undefined ? {} : { type: flags.type }),
    ...(flags.phone === undefined ? {} : { phone: flags.phone }),
    // The API refuses types that it does not know.
  } as PastEventsOptions
  const page = await pageOf(client.pastEvents(options), flags)
  const text = page.data.length === 0 ? 'No events.' : page.data.map((event) => lineOf(run, event)).join('\n')
  await run.out.answer(page, text, page.data.map(({ id }) => plain(id)).join('\n'))
  await noteMore(run, page.next_cursor)
}

async function events(run: Run, _operands: readonly string[], flags: EventFlags): Promise<void> {
  if (flags.limit !== undefined || flags.cursor !== undefined || flags.all === true)
    throw new UsageError('`--limit`, `--cursor` and `--all` are for lists.', 'Add `--past`.')
  if (/[^\x21-\x7e]/.test(flags.after ?? ''))
    throw new UsageError(`\`--after\` takes the id of an event, not \`${plain(flags.after ?? '')}\`.`)
  const { client } = await run.session()
  const options: EventsOptions = {
    signal: run.io.signal,
    // The stream writes the lines in order, so no caller awaits this write.
    onRetry: (error) => void run.out.note(run.out.paintErr('yellow', retryText(error))),
    ...(flags.type === undefined ? {} : { type: flags.type }),
    ...(flags.phone === undefined ? {} : { phone: flags.phone }),
    ...(flags.after === undefined ? {} : { lastEventId: flags.after }),
  }
  await run.out.note(run.out.paintErr('dim', 'Waiting for events. Ctrl-C ends.'))
  for await (const event of client.events(options)) await show(run, event)
}

const retryText = (error: PhonerackError | null): string =>
  `The connection was lost; trying again.${error === null ? '' : ` ${plain(error.toJSON().message)}`}`

/** Prints one line for each event: the object of the API with `--json`, the ID with `--quiet`. */
async function show(run: Run, event: PhonerackEvent | EventGap): Promise<void> {
  if (event.object === 'gap')
    return run.out.answer(
      event,
      run.out.paint('yellow', `Events after ${plain(event.last_event_id)} have expired.`),
    )
  await run.out.answer(event, lineOf(run, event), event.id)
}

function lineOf(run: Run, { created_at: at, type, phone_id: phone, data }: PhonerackEvent): string {
  const parts = [run.out.paint('dim', at), type, phone ?? '', factsOf(type, data)]
  return parts
    .map(plainPart)
    .filter((part) => part !== '')
    .join('  ')
}

const plainPart = (part: string): string => part.trim()

/** Fields of the event's object that are printed, in this order. */
const shown = [
  'id',
  'end_reason',
  'cost_usd',
  'kind',
  'package',
  'exception',
  'error',
  'failure',
  'balance_usd',
] as const

/** The facts that the type does not contain. `data` has one object. */
function factsOf(type: string, data: PhonerackEvent['data']): string {
  const facts = Object.values(data)[0] ?? {}
  return shown
    .filter(
      (name) =>
        facts[name] !== undefined && facts[name] !== null && !(name === 'id' && type.startsWith('phone.')),
    )
    .map((name) => `${name}=${plain(wordOf(facts[name]))}`)
    .join(' ')
}

/** An error or failure is named by its code. */
function wordOf(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'code' in value) return String(value.code)
  return typeof value === 'string' ? value : JSON.stringify(value)
}
