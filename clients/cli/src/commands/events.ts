/** `events`: follows what happens to the phones of the project. */
import type { EventGap, EventsOptions, PhonerackError, PhonerackEvent } from '@phonerack/sdk'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { plainLine } from '../plain.js'
import { UsageError } from '../usage-error.js'

interface EventFlags {
  type?: string
  phone?: string
  after?: string
}

export function addEventsCommand(program: Command, app: App): void {
  app.on<EventFlags>(
    program
      .command('events')
      .description('follow what happens, until Ctrl-C')
      .option('--type <type>', 'only these, such as phone.ready')
      .option('--phone <id>', 'only events of this phone')
      .option('--after <event>', 'begin after the event with this id instead of now'),
    events,
  )
}

async function events(run: Run, _operands: readonly string[], flags: EventFlags): Promise<void> {
  if (/[^\x21-\x7e]/.test(flags.after ?? ''))
    throw new UsageError(`\`--after\` takes the id of an event, not \`${plainLine(flags.after ?? '')}\`.`)
  const { client } = await run.session()
  const options: EventsOptions = {
    signal: run.io.signal,
    // stderr takes lines in their order.
    onRetry: (error) => void run.out.note(run.out.paintErr('yellow', retryText(error))),
    ...(flags.type === undefined ? {} : { type: flags.type }),
    ...(flags.phone === undefined ? {} : { phone: flags.phone }),
    ...(flags.after === undefined ? {} : { lastEventId: flags.after }),
  }
  await run.out.note(run.out.paintErr('dim', 'Waiting for events. Ctrl-C ends.'))
  for await (const event of client.events(options)) await show(run, event)
}

const retryText = (error: PhonerackError | null): string =>
  `The connection was lost; trying again.${error === null ? '' : ` ${plainLine(error.toJSON().message)}`}`

/** One line each: the object of the API with `--json`, the ID with `--quiet`. */
async function show(run: Run, event: PhonerackEvent | EventGap): Promise<void> {
  if (event.object === 'gap')
    return run.out.answer(
      event,
      run.out.paint('yellow', `Events after ${plainLine(event.last_event_id)} have expired.`),
    )
  const { id, created_at: at, type, phone_id: phone, data } = event
  const parts = [run.out.paint('dim', at), type, phone ?? '', factsOf(type, data)]
  await run.out.answer(
    event,
    parts
      .map(plainPart)
      .filter((part) => part !== '')
      .join('  '),
    id,
  )
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

/** The facts that the type does not say. `data` has one object. */
function factsOf(type: string, data: PhonerackEvent['data']): string {
  const facts = Object.values(data)[0] ?? {}
  return shown
    .filter(
      (name) =>
        facts[name] !== undefined && facts[name] !== null && !(name === 'id' && type.startsWith('phone.')),
    )
    .map((name) => `${name}=${plainLine(wordOf(facts[name]))}`)
    .join(' ')
}

/** An error or failure is named by its code. */
function wordOf(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'code' in value) return String(value.code)
  return typeof value === 'string' ? value : JSON.stringify(value)
}
