/** `phone logs|crashes|notifications|permissions`: reports of a phone, and permissions of its apps. */
import type { Crash, LogLine, LogOptions } from '@phonerack/sdk'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { durationMs } from '../duration.js'
import { noteMore, pageOf, pageOptions, type PageFlags } from '../pages.js'
import { phoneOf, splitOperands } from '../phone-operand.js'
import { plain, plainLines } from '@phonerack/shared/plain'
import { repeated } from '../repeated.js'
import { table } from '../table.js'
import { UsageError } from '../usage-error.js'

interface LogFlags extends PageFlags {
  package?: string
  level?: string
  since?: string
}
interface CrashFlags extends PageFlags {
  package?: string
}
interface NotificationFlags {
  open?: string
  dismiss?: string
}
interface PermissionFlags {
  grant?: string[]
  revoke?: string[]
}

const levels = ['verbose', 'debug', 'info', 'warn', 'error', 'fatal'] as const

export function addPhoneReportCommands(phone: Command, app: App): void {
  app.on<LogFlags>(
    pageOptions(
      phone
        .command('logs')
        .description("print lines of Android's log, the newest last")
        .argument('[phone]')
        .option('--package <package>', 'only lines of this app')
        .option('--level <level>', `only lines of this level and above: ${levels.join(', ')}`)
        .option('--since <duration>', 'only the last 10m, 1h, …'),
    ),
    logs,
  )
  app.on<CrashFlags>(
    pageOptions(
      phone
        .command('crashes')
        .description('print crashes and hangs of apps with their stacks, the newest first')
        .argument('[phone]')
        .option('--package <package>', 'only crashes and hangs of this app'),
    ),
    crashes,
  )
  app.on<NotificationFlags>(
    phone
      .command('notifications')
      .description('list notifications, or open or dismiss one')
      .argument('[phone]')
      .option('--open <id>', 'open the notification with this id')
      .option('--dismiss <id>', 'swipe it away'),
    notifications,
  )
  app.on<PermissionFlags>(
    phone
      .command('permissions')
      .description('grant or revoke permissions of an app')
      .argument('[phone]')
      .argument('[package]')
      .option(
        '--grant <permission>',
        'such as android.permission.CAMERA, or CAMERA; may be repeated',
        repeated,
      )
      .option('--revoke <permission>', 'as --grant', repeated),
    permissions,
  )
}

const isLevel = (text: string): text is NonNullable<LogOptions['level']> =>
  (levels as readonly string[]).includes(text)

async function logs(run: Run, operands: readonly string[], flags: LogFlags): Promise<void> {
  const { level, package: name, since } = flags
  if (level !== undefined && !isLevel(level))
    throw new UsageError(`\`--level\` must be one of ${levels.join(', ')}.`)
  const options: LogOptions = {
    ...run.call,
    ...(name === undefined ? {} : { package: name }),
    ...(level === undefined ? {} : { level }),
    ...(since === undefined ? {} : { since: new Date(Date.now() - durationMs(since, '--since')) }),
  }
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  const page = await pageOf(phone.reports.logs(options), flags)
  const text = page.data.toReversed().map(lineOf).join('\n')
  await run.out.answer(page, text === '' ? 'No lines.' : text, text)
  await noteMore(run, page.next_cursor)
}

/** The form of `logcat -v time`; further lines of a message are indented. */
function lineOf({ at, level, tag, pid, package: name, message }: LogLine): string {
  const [first = '', ...rest] = message.split('\n').map(plain)
  const head = `${at ?? '-'} ${level.slice(0, 1).toUpperCase()}/${plain(tag)}(${name ?? pid}): ${first}`
  return [head, ...rest.map((line) => `    ${line}`)].join('\n')
}

async function crashes(run: Run, operands: readonly string[], flags: CrashFlags): Promise<void> {
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  const options = { ...run.call, ...(flags.package === undefined ? {} : { package: flags.package }) }
  const page = await pageOf(phone.reports.crashes(options), flags)
  const text = page.data.map(crashText).join('\n\n')
  await run.out.answer(
    page,
    text === '' ? 'No crashes.' : text,
    page.data.map(({ package: name }) => name).join('\n'),
  )
  await noteMore(run, page.next_cursor)
}

function crashText({ at, kind, package: name, exception, reason, stack }: Crash): string {
  const cause = [exception, reason].filter((each) => each !== null && each !== '').join(': ')
  return `${at ?? '-'}  ${kind}  ${plain(name)}  ${plain(cause)}\n${plainLines(stack)}`
}

async function notifications(run: Run, operands: readonly string[], flags: NotificationFlags): Promise<void> {
  const { open, dismiss } = flags
  if (open !== undefined && dismiss !== undefined) throw new UsageError('Give --open or --dismiss, not both.')
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  if (open !== undefined) {
    await phone.reports.openNotification(open, run.call)
    return run.out.answer({ id: open, opened: true }, `Opened ${plain(open)}.`)
  }
  if (dismiss !== undefined) {
    await phone.reports.dismissNotification(dismiss, run.call)
    return run.out.answer({ id: dismiss, dismissed: true }, `Dismissed ${plain(dismiss)}.`)
  }
  const data = await phone.reports.notifications(run.call)
  const text = table(
    data,
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'PACKAGE', value: (each) => each.package },
      { title: 'TITLE', value: ({ title }) => title },
      { title: 'TEXT', value: (each) => each.text.split('\n', 1)[0] },
      { title: 'POSTED', value: ({ posted_at: at }) => at },
    ],
    'No notifications.',
  )
  await run.out.answer({ data }, text, data.map(({ id }) => plain(id)).join('\n'))
}

/** Android's own permissions may be named without their prefix. */
const nameOf = (permission: string): string =>
  permission.includes('.') ? permission : `android.permission.${permission.toUpperCase()}`

async function permissions(run: Run, operands: readonly string[], flags: PermissionFlags): Promise<void> {
  const { phone: given, rest } = splitOperands(operands, ['package'])
  const grant = (flags.grant ?? []).map(nameOf)
  const revoke = (flags.revoke ?? []).map(nameOf)
  if (grant.length + revoke.length === 0) throw new UsageError('Give --grant or --revoke with a permission.')
  const phone = await phoneOf(run, given)
  const name = rest[0] ?? ''
  const changed = await phone.permissions.set(
    name,
    { ...(grant.length > 0 ? { grant } : {}), ...(revoke.length > 0 ? { revoke } : {}) },
    run.call,
  )
  const text = changed.map((each) => `${plain(each.name)} ${each.granted ? 'granted' : 'denied'}`)
  await run.out.answer({ package: name, permissions: changed }, text.join('\n'))
}
