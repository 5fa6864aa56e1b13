/** `phone live|handoff|record`: people who watch or help, and videos. */
import type { Handoff } from '@phonerack/sdk'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { durationMs, durationSeconds, relative } from '../duration.js'
import { phoneOf, splitOperands } from '../phone-operand.js'
import { plain } from '@phonerack/shared/plain'
import { bytesError } from '../output.js'
import { localName, requireFree, saveFile } from '../save.js'
import { NotDone, UsageError } from '../usage-error.js'

interface HandoffFlags {
  expires?: string
  wait: boolean
}

interface RecordFlags {
  name?: string
  for?: string
  output?: string
  force?: boolean
}

export function addPhonePeopleCommands(phone: Command, app: App): void {
  app.on<{ expires?: string; viewOnly?: boolean }>(
    phone
      .command('live')
      .description('print a link to the live screen; a person with the link controls the phone')
      .argument('[phone]')
      .option('--expires <duration>', 'how long the link works; the default is 1h')
      .option('--view-only', 'the link shows the screen and takes no input'),
    live,
  )
  app.on<HandoffFlags>(
    phone
      .command('handoff')
      .description('ask a person to do something, such as to sign in, and wait for the answer')
      .argument('[phone]')
      .argument('[message]')
      .option('--expires <duration>', 'the request is open this long')
      .option('--no-wait', 'print the link and return'),
    handoff,
  )
  app.on<RecordFlags>(
    phone
      .command('record')
      .description('record the screen as an MP4 file, until Ctrl-C or for a time')
      .argument('[phone]')
      .option('--for <duration>', 'this long')
      .option('--name <name>', 'a name')
      .option('-o, --output <file>', 'the file to write; the default is the id of the recording')
      .option('--force', 'overwrite the file'),
    record,
  )
}

async function live(
  run: Run,
  operands: readonly string[],
  { expires, viewOnly }: { expires?: string; viewOnly?: boolean },
): Promise<void> {
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  const link = await phone.live({
    ...run.call,
    ...(expires === undefined ? {} : { expiresIn: durationSeconds(expires, '--expires') }),
    ...(viewOnly === true ? { control: false } : {}),
  })
  await run.out.answer(link, plain(link.url), plain(link.url))
  const what = viewOnly === true ? 'sees the screen' : 'controls the phone'
  await run.out.note(
    `A person with the link ${what}. It ends ${relative(link.expires_at, run.io.now()) ?? 'later'}.`,
  )
}

async function handoff(run: Run, operands: readonly string[], flags: HandoffFlags): Promise<void> {
  const { phone: given, rest } = splitOperands(operands, ['message'])
  const phone = await phoneOf(run, given)
  const expiresIn =
    flags.expires === undefined ? {} : { expiresIn: durationSeconds(flags.expires, '--expires') }
  const request: Handoff = await phone.handOff({ message: rest[0] ?? '', ...expiresIn }, run.call)
  const url = plain(request.url)
  if (!flags.wait) return run.out.answer(request.data, url, url)
  await run.out.notice(request.data, `Send this link to the person: ${url}`)
  const answer = await run.out.during('Waiting for the person', () => request.done(run.call))
  const status = plain(answer.status)
  const note = answer.note === null ? '' : `: ${plain(answer.note)}`
  await run.out.answer(answer, `${status}${note}`, status)
  if (answer.status !== 'done')
    throw new NotDone(`handoff_${answer.status}`, `The request ended as ${status}.`, null, {
      handoff: answer.id,
    })
}

async function record(run: Run, operands: readonly string[], flags: RecordFlags): Promise<void> {
  const { phone: given } = splitOperands(operands, [])
  if (flags.for === undefined && !run.io.isTerminal.in)
    throw new UsageError('--for is missing.', 'Without a terminal, say how long to record.')
  const ms = flags.for === undefined ? null : durationMs(flags.for, '--for')
  const { output = '-' } = flags
  if (flags.output === '-' && run.io.isTerminal.out) throw bytesError()
  if (output !== '-' && flags.force !== true) await requireFree(output)
  const phone = await phoneOf(run, given)
  const recording = await phone.record({
    ...run.call,
    ...(flags.name === undefined ? {} : { name: flags.name }),
  })
  const label = `Recording ${phone.id}${ms === null ? ' (Ctrl-C ends it)' : ''}`
  const video = await run.out.during(label, async (progress) => {
    // Ctrl-C ends the recording and keeps the video, so later requests have no signal.
    await timeOrInterrupt(ms, run.io.signal)
    await recording.stop()
    progress.update('Making the video')
    return Buffer.from(await (await recording.video()).arrayBuffer())
  })
  if (flags.output === '-') return run.out.bytes(video)
  const file = flags.output ?? localName(`${recording.id}.mp4`)
  await saveFile(file, video, flags.force === true)
  await run.out.answer(
    { ...recording.data, file },
    `Wrote ${video.byteLength} bytes to ${plain(file)}.`,
    file,
  )
}

function timeOrInterrupt(ms: number | null, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // A timer also keeps the process alive.
    const timer = setTimeout(end, ms ?? 2 ** 31 - 1)
    function end(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
