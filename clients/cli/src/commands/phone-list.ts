/** `phone list|get|use`. */
import type { ListOptions, Pages, Phone } from '@phonerack/sdk'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { metadataOf } from '../metadata.js'
import { noteMore, pageOf, pageOptions, type PageFlags } from '../pages.js'
import { phoneOf, splitOperands } from '../phone-operand.js'
import { phoneRecord, phoneTable } from '../phone-text.js'
import { UsageError } from '../usage-error.js'
import { noContext, setDefault } from './phone-life.js'

interface ListFlags extends PageFlags {
  status?: string
  metadata?: string
}

export function addPhoneListCommands(phone: Command, app: App): void {
  app.on<ListFlags>(
    pageOptions(
      phone
        .command('list')
        .description('list phones, the newest first')
        .option(
          '--status <status>',
          'such as ready, parked or failed; the default leaves out failed and deleted',
        )
        .option('--metadata <key=value>', 'with this metadata'),
    ),
    list,
  )
  app.on(phone.command('get').description('show a phone').argument('[phone]'), get)
  app.on<{ clear?: boolean }>(
    phone
      .command('use')
      .description('set the phone of commands without one')
      .argument('[phone]')
      .option('--clear', 'have none'),
    use,
  )
}

async function list(run: Run, _operands: readonly string[], flags: ListFlags): Promise<void> {
  const { client } = await run.session()
  const options: ListOptions = {
    ...run.call,
    // The API checks the value, because later releases may add statuses.
    ...(flags.status === undefined ? {} : { status: flags.status as NonNullable<ListOptions['status']> }),
    ...(flags.metadata === undefined ? {} : { metadata: metadataOf([flags.metadata]) }),
  }
  const page = await pageOf(client.phones.list(options) as Pages<unknown, Phone>, flags)
  const data = page.data.map((phone) => phone.data)
  const ids = data.map(({ id }) => id).join('\n')
  await run.out.answer({ data, next_cursor: page.next_cursor }, phoneTable(data, run.out, run.io.now()), ids)
  await noteMore(run, page.next_cursor)
}

async function get(run: Run, operands: readonly string[]): Promise<void> {
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  await phone.refresh(run.call)
  await run.out.answer(phone.data, phoneRecord(phone.data, run.out, run.io.now()), phone.id)
}

async function use(run: Run, operands: readonly string[], { clear }: { clear?: boolean }): Promise<void> {
  const { access } = await run.session()
  if (access.context === null) throw noContext()
  if (clear === true) {
    await setDefault(run, access.context, null)
    return run.out.answer({ phone: null }, 'There is no default phone now.')
  }
  const [given] = operands
  if (given === undefined) throw new UsageError('Missing: <phone>.', 'Or add --clear.')
  const phone = await phoneOf(run, given)
  await phone.refresh(run.call)
  await setDefault(run, access.context, phone.id)
  await run.out.answer(phone.data, `The default phone is now ${phone.id}.`, phone.id)
}
