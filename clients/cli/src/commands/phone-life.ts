/** `phone create|start|park|reboot|reset|delete`: the life of a phone. */
import { PhonerackError, type Phone, type StartOptions } from '@phonerack/sdk'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import type { Context } from '../config/config.js'
import { configFile } from '../config/place.js'
import { requireWritable } from '../config/store.js'
import { durationMs, durationSeconds } from '../duration.js'
import { phoneOf, splitOperands } from '../phone-operand.js'
import { phoneRecord } from '../phone-text.js'
import { plain } from '@phonerack/shared/plain'
import { saveSettings, settings } from '../session.js'
import { UsageError } from '../usage-error.js'
import { metadataOf } from '../metadata.js'

interface StartFlags {
  idleTimeout?: string
  maxDuration?: string
  /** False with `--no-wait`. */
  wait: boolean
  capacity?: string
}

interface CreateFlags extends StartFlags {
  name?: string
  country?: string
  metadata?: string[]
  onIdle?: string
  idempotencyKey?: string
  use?: boolean
}

const startOptions = (command: Command): Command =>
  command
    .option('--idle-timeout <duration>', 'park after this time without use')
    .option('--max-duration <duration>', 'park at the latest after this time')
    .option('--no-wait', 'return before the phone is ready')
    .option(
      '--capacity <duration>',
      'how long to wait for a free phone; by default, the command fails immediately',
    )

export function addPhoneLifeCommands(phone: Command, app: App): void {
  app.on<CreateFlags>(
    startOptions(
      phone
        .command('create')
        .description('rent a phone, and wait until it is ready; it is billed until it parks')
        .option('--name <name>', 'a name')
        .option('--country <code>', 'country of the phone, two letters; `account` lists the countries')
        .option('--metadata <key=value...>', 'metadata')
        .option('--on-idle <park|delete>', 'delete: delete the phone instead of parking it (default: park)')
        .option('--idempotency-key <key>', 'a repeat with the same key returns the same phone')
        .option('--use', 'make it the default phone'),
    ),
    create,
  )
  app.on<StartFlags>(
    startOptions(
      phone
        .command('start')
        .description('start a parked phone; renew the session of a running one')
        .argument('[phone]'),
    ),
    start,
  )
  app.on<{ wait: boolean }>(
    phone
      .command('park')
      .description(
        'end the session and the billing; apps and data stay, unless the phone was created with --on-idle delete',
      )
      .argument('[phone]')
      .option('--no-wait', 'return before the phone is parked'),
    park,
  )
  app.on(
    phone
      .command('reboot')
      .description('restart Android, and wait until the phone is ready')
      .argument('[phone]'),
    async (run, operands) => {
      const found = await phoneOf(run, splitOperands(operands, []).phone)
      await run.out.during(`Restarting ${found.id}`, () => found.reboot(run.call))
      await answer(run, found)
    },
  )
  app.on(
    phone
      .command('reset')
      .description('delete all data of a phone, and wait until it is ready; asks for confirmation')
      .argument('<phone>'),
    async (run, [given = '']) => {
      const found = await phoneOf(run, given)
      await run.confirm(`Delete all apps, accounts and files of ${shownName(given, found)}?`)
      await run.out.during(`Resetting ${found.id}`, () => found.reset(run.call))
      await answer(run, found)
    },
  )
  app.on(
    phone
      .command('delete')
      .description('delete a phone with its data; asks for confirmation')
      .argument('<phone>'),
    remove,
  )
}

type Times = Pick<StartOptions, 'idleTimeout' | 'maxDuration' | 'retry'>

function timesOf({ idleTimeout, maxDuration, capacity }: StartFlags): Times {
  return {
    ...(capacity === undefined ? {} : { retry: { capacity: durationMs(capacity, '--capacity') } }),
    ...(idleTimeout === undefined ? {} : { idleTimeout: durationSeconds(idleTimeout, '--idle-timeout') }),
    ...(maxDuration === undefined ? {} : { maxDuration: durationSeconds(maxDuration, '--max-duration') }),
  }
}

function onIdleOf(given: string): 'park' | 'delete' {
  if (given !== 'park' && given !== 'delete') throw new UsageError('`--on-idle` must be `park` or `delete`.')
  return given
}

async function create(run: Run, _operands: readonly string[], flags: CreateFlags): Promise<void> {
  const { client, access } = await run.session()
  if (flags.use === true && access.context === null) throw noContext()
  if (flags.use === true) await requireWritable(configFile(run.io))
  const phone = await client.phones.create({
    ...run.call,
    ...timesOf(flags),
    ...(flags.name === undefined ? {} : { name: flags.name }),
    ...(flags.country === undefined ? {} : { country: flags.country }),
    ...(flags.metadata === undefined ? {} : { metadata: metadataOf(flags.metadata) }),
    ...(flags.onIdle === undefined ? {} : { onIdle: onIdleOf(flags.onIdle) }),
    ...(flags.idempotencyKey === undefined ? {} : { idempotencyKey: flags.idempotencyKey }),
    // `create` returns immediately with the id, so that the error of a failed wait can name the phone.
    wait: false,
  })
  if (flags.use === true && access.context !== null) await setDefault(run, access.context, phone.id)
  if (flags.wait) await readyAfterWrite(run, phone, 'Creating')
  await answer(run, phone)
}

async function start(run: Run, operands: readonly string[], flags: StartFlags): Promise<void> {
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  await phone.start({ ...run.call, ...timesOf(flags), wait: false })
  if (flags.wait) await readyAfterWrite(run, phone, 'Starting')
  await answer(run, phone)
}

/**
 * Waits for a phone after a create or a start. @throws an error that does not advise to repeat the command, because a
 * repeat would be another create or start
 */
async function readyAfterWrite(run: Run, phone: Phone, label: string): Promise<void> {
  try {
    await ready(run, phone, label)
  } catch (error) {
    if (!(error instanceof PhonerackError) || !error.retryable) throw error
    const { status, requestId } = error
    throw new PhonerackError({ ...error.toJSON(), retryable: false }, { status, requestId, cause: error })
  }
}

/** Waits until a phone is ready. If the wait fails, prints that the phone is billed. @throws the error of the wait */
export async function ready(run: Run, phone: Phone, label: string, timeout?: number): Promise<void> {
  if (phone.status === 'ready') return
  try {
    await run.out.during(`${label} ${phone.id}`, () => phone.waitUntilReady({ ...run.call, timeout }))
  } catch (error) {
    // An error that names the phone already says that the phone has ended.
    if (!(error instanceof PhonerackError && error.details['phone'] !== undefined))
      await run.out.notice(
        phone.data,
        `The phone is ${phone.id}. It is billed while it starts or runs: \`phonerack phone park ${phone.id}\` ends the billing.`,
      )
    throw error
  }
}

async function park(run: Run, operands: readonly string[], flags: { wait: boolean }): Promise<void> {
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  await run.out.during(`Parking ${phone.id}`, async () => {
    await phone.park({ ...run.call, wait: flags.wait })
    if (flags.wait) await phone.waitUntilParked(run.call)
  })
  await answer(run, phone)
}

const shownName = (given: string, { id }: Phone): string => (given === id ? id : `${plain(given)} (${id})`)

async function remove(run: Run, [given = '']: readonly string[]): Promise<void> {
  const phone = await phoneOf(run, given)
  const shown = shownName(given, phone)
  await run.confirm(`Delete the phone ${shown} with its data? It cannot be restored.`)
  await phone.delete(run.call)
  await run.out.answer(phone.data, `Deleted ${shown}.`)
}

const answer = (run: Run, phone: Phone): Promise<void> =>
  run.out.answer(phone.data, phoneRecord(phone.data, run.out, run.io.now()), phone.id)

export const noContext = (): UsageError =>
  new UsageError(
    'A default phone belongs to a context, and the key is from the environment.',
    'Set PHONERACK_PHONE in the environment too.',
  )

/** Stores the default phone of a context. */
export async function setDefault(run: Run, context: string, id: string | null): Promise<void> {
  const config = await settings(run.io)
  const current = config.contexts[context]
  if (current === undefined) throw new UsageError(`There is no context \`${context}\`.`)
  const next: Context = { ...current }
  if (id === null) delete next.phone
  else next.phone = id
  await saveSettings(run.io, { ...config, contexts: { ...config.contexts, [context]: next } })
}
