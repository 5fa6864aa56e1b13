/** `phone observe|shot|wait`: the screen of a phone. */
import { ConnectionError, waitFor, waitIdle, type Phone, type WaitTarget } from '@phonerack/sdk'
import type { Command } from 'commander'
import { act, snapshotLine } from '../act.js'
import type { App, Run } from '../app.js'
import { durationMs, humanMs } from '../duration.js'
import { phoneOf, splitOperands } from '../phone-operand.js'
import { phoneRecord } from '../phone-text.js'
import { pictureOf } from '../picture.js'
import { plain, plainLines } from '@phonerack/shared/plain'
import { localName, saveFile, saveNew, timeName } from '../save.js'
import { requiredTarget, targetOf, targetOptions, wholeNumber, type TargetFlags } from '../target.js'
import { NotDone, UsageError } from '../usage-error.js'
import { ready } from './phone-life.js'

interface ObserveFlags {
  since?: string
}

interface ShotFlags {
  output?: string
  format?: string
  maxWidth?: string
  annotate?: boolean
  force?: boolean
  show?: boolean
}

interface WaitFlags extends TargetFlags {
  gone?: boolean
  ready?: boolean
  parked?: boolean
  idle?: boolean
  timeout?: string
}

export function addPhoneScreenCommands(phone: Command, app: App): void {
  app.on<ObserveFlags>(
    phone
      .command('observe')
      .description('print the screen as numbered elements')
      .argument('[phone]')
      .option('--since <snapshot>', 'print only the changes; in the prompt, `last` is the last snapshot'),
    observe,
  )
  app.on<ShotFlags>(
    phone
      .command('shot')
      .description('take a screenshot')
      .argument('[phone]')
      .option('-o, --output <file>', 'the file to write; - is stdout')
      .option('--format <format>', 'png or jpeg')
      .option('--max-width <pixels>', 'make it narrower')
      .option('--annotate', 'draw the numbers of the elements')
      .option('--show', 'show it in the terminal (iTerm2, WezTerm, kitty, Ghostty)')
      .option('--force', 'overwrite the file'),
    shot,
  )
  app.on<WaitFlags>(
    targetOptions(
      phone.command('wait').description('wait for an element, or for the phone').argument('[phone]'),
    )
      .option('--gone', 'until the element has disappeared')
      .option('--idle', 'until the screen stops changing')
      .option('--ready', 'until the phone is ready')
      .option('--parked', 'until the phone is parked')
      .option(
        '--timeout <duration>',
        'the longest wait; for an element, the default is 10s and the maximum 60s',
      ),
    wait,
  )
}

async function observe(run: Run, operands: readonly string[], { since }: ObserveFlags): Promise<void> {
  const session = await run.session()
  const known = since === 'last' ? session.lastSnapshot : since
  if (known === null)
    throw new UsageError('No screen was read before.', 'Run `observe` first, or give the ID of a snapshot.')
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  const screen =
    known === undefined ? await phone.observe(run.call) : await phone.changes({ ...run.call, since: known })
  const text = plainLines(screen.text)
  await run.out.answer(screen.raw, text, text)
  await run.out.note(snapshotLine(run, screen.snapshotId))
  session.lastSnapshot = screen.snapshotId
}

async function shot(run: Run, operands: readonly string[], flags: ShotFlags): Promise<void> {
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  const format = flags.format ?? (/\.jpe?g$/i.test(flags.output ?? '') ? 'jpeg' : 'png')
  if (format !== 'png' && format !== 'jpeg') throw new UsageError('`--format` must be png or jpeg.')
  const image = await phone.screenshot({
    ...run.call,
    format,
    ...(flags.maxWidth === undefined ? {} : { maxWidth: wholeNumber(flags.maxWidth, '--max-width', 1) }),
    ...(flags.annotate === undefined ? {} : { annotate: flags.annotate }),
  })
  if (flags.show === true) return run.io.out(pictureOf(image, run.io))
  const toStdout =
    flags.output === '-' || (flags.output === undefined && !run.io.isTerminal.out && !run.out.json)
  if (toStdout) return run.out.bytes(image)
  const file =
    flags.output ?? (await saveNew(localName(`${phone.id}-${timeName(run.io.now())}.${format}`), image))
  if (flags.output !== undefined) await saveFile(file, image, flags.force === true)
  await run.out.answer({ file, size: image.byteLength }, file, file)
}

async function wait(run: Run, operands: readonly string[], flags: WaitFlags): Promise<void> {
  const { phone: given } = splitOperands(operands, [])
  const { lastSnapshot } = await run.session()
  const wanted = [flags.ready, flags.parked, flags.idle, targetOf(flags, lastSnapshot) !== undefined]
  if (wanted.filter((each) => each === true).length !== 1)
    throw new UsageError('Give what to wait for: a target, --idle, --ready or --parked.')
  const timeout = flags.timeout === undefined ? undefined : durationMs(flags.timeout, '--timeout')
  const phone = await phoneOf(run, given)
  if (flags.ready === true || flags.parked === true)
    return waitForStatus(run, phone, flags.ready === true ? 'ready' : 'parked', timeout)
  const limit = timeout === undefined ? {} : { timeout }
  if (flags.idle === true) return void (await act(run, phone, [waitIdle(limit)]))
  const target = requiredTarget(flags, lastSnapshot)
  if ('x' in target) throw new UsageError('A point cannot be waited for.')
  const state = flags.gone === true ? { state: 'gone' as const } : {}
  await act(run, phone, [waitFor(target satisfies WaitTarget, { ...limit, ...state })], false, 'Waiting')
}

async function waitForStatus(
  run: Run,
  phone: Phone,
  status: 'ready' | 'parked',
  timeout: number | undefined,
): Promise<void> {
  await phone.refresh(run.call)
  try {
    if (status === 'ready') await ready(run, phone, 'Waiting for', timeout)
    else await phone.waitUntilParked({ ...run.call, timeout })
  } catch (error) {
    if (timeout === undefined || !(error instanceof ConnectionError && error.code === 'timeout')) throw error
    throw new NotDone('wait_timeout', `The phone is not ${status} after ${humanMs(timeout)}.`, null, {
      phone: phone.id,
    })
  }
  // Waiting cannot park a phone that is not parking.
  if (phone.status !== status)
    throw new NotDone(
      'not_parked',
      `The phone is ${plain(phone.status)}.`,
      `\`phonerack phone park ${phone.id}\` parks it.`,
    )
  await run.out.answer(phone.data, phoneRecord(phone.data, run.out, run.io.now()), phone.id)
}
