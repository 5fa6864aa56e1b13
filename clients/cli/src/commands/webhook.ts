/** `webhook create|list|show|update|delete|test|rotate|deliveries|retry`: addresses to which the service sends events. */
import type { Delivery, NewWebhook, Webhook, WebhookChange } from '@phonerack/sdk'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { relative } from '../duration.js'
import { noteMore, pageOf, pageOptions, type PageFlags } from '../pages.js'
import { plain } from '@phonerack/shared/plain'
import { repeated } from '../repeated.js'
import { record, table } from '../table.js'
import { UsageError } from '../usage-error.js'

interface WebhookFlags {
  type?: string[]
  description?: string
  url?: string
  allTypes?: boolean
  enable?: boolean
  disable?: boolean
}

const typeText = 'only events of this type, such as phone.ready; may be repeated'

export function addWebhookCommands(program: Command, app: App): void {
  const webhook = program.command('webhook').description('addresses to which the service sends events')
  app.on<WebhookFlags>(
    webhook
      .command('create')
      .description('send events to a URL, and print the secret of their signatures')
      .argument('<url>')
      .option('--type <type>', typeText, repeated)
      .option('--description <text>', 'a text for people'),
    create,
  )
  app.on(webhook.command('list').description('list the webhooks of the project'), list)
  app.on(webhook.command('show').description('show a webhook').argument('<webhook>'), show)
  app.on<WebhookFlags>(
    webhook
      .command('update')
      .description('change a webhook, or switch it off or on')
      .argument('<webhook>')
      .option('--url <url>', 'send events there')
      .option('--type <type>', typeText, repeated)
      .option('--all-types', 'events of all types')
      .option('--description <text>', 'a note for people; an empty text removes it')
      .option('--enable', 'switch it on')
      .option('--disable', 'switch it off: nothing is sent, and pending deliveries fail'),
    update,
  )
  app.on(webhook.command('delete').description('delete a webhook').argument('<webhook>'), remove)
  app.on(webhook.command('test').description('send a test, once').argument('<webhook>'), test)
  app.on(
    webhook
      .command('rotate')
      .description('replace the secret; the previous secret stays valid for a day')
      .argument('<webhook>'),
    rotate,
  )
  app.on<PageFlags>(
    pageOptions(
      webhook
        .command('deliveries')
        .description('list the deliveries, with the responses')
        .argument('<webhook>'),
    ),
    deliveries,
  )
  app.on(
    webhook
      .command('retry')
      .description('send a delivery again')
      .argument('<webhook>')
      .argument('<delivery>'),
    retry,
  )
}

async function create(run: Run, [url = '']: readonly string[], flags: WebhookFlags): Promise<void> {
  const { client } = await run.session()
  const body: NewWebhook = {
    url,
    ...(flags.type === undefined ? {} : { events: typesOf(flags.type) }),
    ...(flags.description === undefined ? {} : { description: flags.description }),
  }
  await answerSecret(run, await client.webhooks.create(body, run.call))
}

/** The secret alone on stdout, for a file or a variable: it is not shown again. */
async function answerSecret(run: Run, webhook: Webhook & { secret: string }): Promise<void> {
  const secret = plain(webhook.secret)
  await run.out.note(`${plain(webhook.id)} signs with this secret, which is not shown again:`)
  await run.out.answer(webhook, secret, secret)
}

async function list(run: Run): Promise<void> {
  const { client } = await run.session()
  const webhooks = await client.webhooks.list(run.call)
  const text = table(
    webhooks,
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'URL', value: ({ url }) => url },
      { title: 'TYPES', value: typesText },
      { title: 'STATE', value: (each) => stateOf(run, each) },
    ],
    'No webhooks. Create a webhook with `phonerack webhook create <url>`.',
  )
  await run.out.answer({ data: webhooks }, text, webhooks.map(({ id }) => id).join('\n'))
}

async function show(run: Run, [id = '']: readonly string[]): Promise<void> {
  const { client } = await run.session()
  await answerWebhook(run, await client.webhooks.get(id, run.call))
}

async function update(run: Run, [id = '']: readonly string[], flags: WebhookFlags): Promise<void> {
  const change = changeOf(flags)
  if (Object.keys(change).length === 0)
    throw new UsageError('Nothing to change.', 'Add an option, such as --disable.')
  const { client } = await run.session()
  await answerWebhook(run, await client.webhooks.update(id, change, run.call))
}

function changeOf({ url, type, allTypes, description, enable, disable }: WebhookFlags): WebhookChange {
  if (type !== undefined && allTypes === true)
    throw new UsageError('--type and --all-types exclude each other.')
  if (enable === true && disable === true) throw new UsageError('--enable and --disable exclude each other.')
  return {
    ...(url === undefined ? {} : { url }),
    ...(type === undefined ? {} : { events: typesOf(type) }),
    ...(allTypes === true ? { events: null } : {}),
    ...(description === undefined ? {} : { description: description === '' ? null : description }),
    ...(enable === true ? { enabled: true } : {}),
    ...(disable === true ? { enabled: false } : {}),
  }
}

async function remove(run: Run, [id = '']: readonly string[]): Promise<void> {
  await run.confirm(`Delete the webhook ${plain(id)}, and its deliveries?`)
  const { client } = await run.session()
  await client.webhooks.delete(id, run.call)
  await run.out.answer({ id, deleted: true }, `Deleted ${plain(id)}.`, id)
}

async function test(run: Run, [id = '']: readonly string[]): Promise<void> {
  const { client } = await run.session()
  const delivery = await client.webhooks.test(id, run.call)
  await run.out.answer(
    delivery,
    `Sending ${plain(delivery.id)}. See the answer: phonerack webhook deliveries ${plain(id)}`,
    plain(delivery.id),
  )
}

async function rotate(run: Run, [id = '']: readonly string[]): Promise<void> {
  const { client } = await run.session()
  await answerSecret(run, await client.webhooks.rotate(id, run.call))
}

async function deliveries(run: Run, [id = '']: readonly string[], flags: PageFlags): Promise<void> {
  const { client } = await run.session()
  const page = await pageOf(client.webhooks.deliveries(id, run.call), flags)
  const text = table(
    page.data,
    [
      { title: 'ID', value: (each) => each.id },
      { title: 'TYPE', value: ({ type }) => type },
      { title: 'EVENT', value: ({ event }) => event },
      { title: 'STATUS', value: ({ status }) => status },
      { title: 'ATTEMPTS', value: ({ attempts }) => attempts },
      { title: 'ANSWER', value: resultOf },
      { title: 'NEXT', value: ({ next_attempt_at: next }) => relative(next, run.io.now()) },
    ],
    'Nothing was sent.',
  )
  await run.out.answer(page, text, page.data.map((each) => plain(each.id)).join('\n'))
  await noteMore(run, page.next_cursor)
}

async function retry(run: Run, [id = '', deliveryId = '']: readonly string[]): Promise<void> {
  const { client } = await run.session()
  const delivery = await client.webhooks.retry(id, deliveryId, run.call)
  const name = plain(delivery.id)
  await run.out.answer(delivery, `Sending ${name} again.`, name)
}

const answerWebhook = (run: Run, webhook: Webhook): Promise<void> =>
  run.out.answer(
    webhook,
    record([
      ['id', webhook.id],
      ['url', webhook.url],
      ['description', webhook.description],
      ['types', typesText(webhook)],
      ['state', stateOf(run, webhook)],
      ['earlier secret', relative(webhook.earlier_secret_expires_at, run.io.now())],
    ]),
    plain(webhook.id),
  )

const typesText = ({ events }: Webhook): string => (events === null ? 'all' : events.join(', '))

function stateOf(run: Run, { enabled, failing_since: since }: Webhook): string {
  if (!enabled) return 'off'
  return since === null ? 'on' : `failing since ${relative(since, run.io.now()) ?? since}`
}

/** The status of the response, or the reason why no response arrived. */
const resultOf = ({ response, error }: Delivery): string | null =>
  response === null ? error : String(response.status)

/** The API refuses types that it does not know. */
const typesOf = (types: readonly string[]): NonNullable<NewWebhook['events']> =>
  types as NonNullable<NewWebhook['events']>
