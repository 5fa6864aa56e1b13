/** `login`, `logout`, `context`, `status`. */
import { Setup } from '@phonerack/sdk'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { accessOf, requireOrigin } from '../config/access.js'
import { contextName, withContext, withoutContext, type Config, type Context } from '../config/config.js'
import { configFile } from '../config/place.js'
import { requireWritable } from '../config/store.js'
import { dollars } from '../money.js'
import { plain } from '@phonerack/shared/plain'
import { clientOf, saveSettings, settings, userAgent } from '../session.js'
import { readAll } from '../stdin.js'
import { record, table } from '../table.js'
import { UsageError } from '../usage-error.js'

interface LoginFlags {
  baseUrl?: string
  client?: string
  keyFromStdin?: boolean
}

export function addSignInCommands(program: Command, app: App): void {
  app.on<LoginFlags>(
    program
      .command('login')
      .description('sign in: a person confirms a code in the browser')
      .option('--base-url <url>', 'address of the installation; the default is the one of the context')
      .option('--client <name>', 'name of the key')
      .option('--key-from-stdin', 'store a key that you already have, read from stdin, instead'),
    login,
  )
  app.on<{ all?: boolean }>(
    program.command('logout').description('delete the stored key').option('--all', 'for all contexts'),
    logout,
  )
  app.on(program.command('status').description('show the service, the project and its credit'), status)
  const context = program
    .command('context')
    .description('installations and projects that you are signed in to')
  app.on(context.command('list').description('list the contexts'), listContexts)
  app.on(context.command('use').description('make a context the current one').argument('<name>'), useContext)
}

async function login(run: Run, _operands: readonly string[], flags: LoginFlags): Promise<void> {
  if (run.flags.profile !== undefined)
    throw new UsageError(
      'login takes no --profile: the stored key keeps its own profile.',
      'Add --profile to each command that uses the key, or set PHONERACK_PROFILE.',
    )
  const config = await settings(run.io)
  const name = contextName(
    run.flags.context ?? (run.io.env['PHONERACK_CONTEXT'] || config.current || 'default'),
  )
  const known = config.contexts[name]
  const given = flags.baseUrl ?? (run.io.env['PHONERACK_BASE_URL'] || known?.base_url)
  if (given === undefined)
    throw new UsageError(
      'The address of the installation is missing.',
      'Add --base-url https://phones.example.',
    )
  const origin = requireOrigin(given)
  if (known !== undefined && known.base_url !== origin && run.flags.context === undefined)
    throw new UsageError(
      `The context \`${name}\` is signed in to ${known.base_url}.`,
      `Add --context and another name to keep both, or --context ${name} to replace it.`,
    )
  const file = configFile(run.io)
  await requireWritable(file)
  const context =
    flags.keyFromStdin === true ? await keyOf(run, origin) : await confirmed(run, origin, flags.client)
  // Another command may have changed the settings while the person confirmed.
  await saveSettings(run.io, withContext(await settings(run.io), name, context))
  await run.out.answer(
    { context: name, base_url: origin, project: context.project, settings_file: file },
    `Signed in to project ${plain(context.project)} at ${origin} (context ${name}).\nThe key is in ${file}.`,
  )
  if (run.io.env['PHONERACK_API_KEY'])
    await run.out.note('PHONERACK_API_KEY is set: commands use that key unless --context is given.')
}

async function confirmed(run: Run, origin: string, client: string | undefined): Promise<Context> {
  const name = (client ?? `phonerack on ${run.io.hostname}`).replace(/[^ -~]/g, '').slice(0, 60)
  // The client is created only for its check of the address.
  clientOf({ baseUrl: origin, apiKey: 'none' })
  const setup = await Setup.start({
    ...run.call,
    baseUrl: origin,
    client: name,
    headers: { 'User-Agent': userAgent },
  })
  const [code, url] = [plain(setup.userCode), plain(setup.url)]
  await run.out.notice(
    { user_code: code, verification_url: url },
    `Code   ${run.out.paintErr('bold', code)}\nPage   ${url}\n\nOpen the page and confirm the code in the console, or give the code to an operator of the service, who sends you a link.\nWaiting…`,
  )
  const { apiKey, project } = await setup.key(run.call)
  return { base_url: origin, api_key: apiKey, project }
}

/** Reads a key that the person already has, and checks it before it is stored. */
async function keyOf(run: Run, origin: string): Promise<Context> {
  const apiKey = (await readAll(run.io)).toString('utf8').trim()
  if (apiKey === '') throw new UsageError('stdin has no key.')
  const { project } = await clientOf({ baseUrl: origin, apiKey }).account(run.call)
  return { base_url: origin, api_key: apiKey, project }
}

async function logout(run: Run, _operands: readonly string[], { all }: { all?: boolean }): Promise<void> {
  const config = await settings(run.io)
  const name = run.flags.context ?? (run.io.env['PHONERACK_CONTEXT'] || config.current)
  const names = all === true ? Object.keys(config.contexts) : name === null ? [] : [name]
  const gone = names.filter((each) => Object.hasOwn(config.contexts, each))
  if (gone.length === 0 && run.flags.context !== undefined)
    throw new UsageError(`There is no context \`${run.flags.context}\`.`)
  let left: Config = config
  for (const each of gone) left = withoutContext(left, each)
  if (gone.length > 0) await saveSettings(run.io, left)
  await run.out.answer(
    { contexts: gone },
    gone.length === 0
      ? 'No key is stored.'
      : `Deleted the key of ${gone.join(', ')} from this machine. It stays valid until an operator revokes it.`,
  )
}

async function status(run: Run): Promise<void> {
  const { access, client, defaultPhone } = await run.session()
  const account = await client.account(run.call)
  const { base_url: baseUrl } = { base_url: client.baseUrl.origin }
  await run.out.answer(
    { base_url: baseUrl, context: access.context, key_from: access.keyFrom, phone: defaultPhone, account },
    record([
      ['service', baseUrl],
      ['context', access.context],
      ['key', access.keyFrom === 'environment' ? 'PHONERACK_API_KEY' : 'stored'],
      ['project', account.project],
      ['credit', `${dollars(account.balance_usd)} (${dollars(account.reserved_usd)} reserved)`],
      ['phones', `${account.running} running of ${account.phones}`],
      ['default phone', defaultPhone],
    ]),
  )
}

async function listContexts(run: Run): Promise<void> {
  const config = await settings(run.io)
  const data = Object.entries(config.contexts).map(([name, context]) => ({
    name,
    current: name === config.current,
    base_url: context.base_url,
    project: context.project,
    phone: context.phone ?? null,
  }))
  const text = table(
    data,
    [
      { title: 'CONTEXT', value: ({ name, current }) => (current ? `${name} *` : name) },
      { title: 'SERVICE', value: ({ base_url: url }) => url },
      { title: 'PROJECT', value: ({ project }) => project },
      { title: 'PHONE', value: ({ phone }) => phone },
    ],
    'No key is stored. Run `phonerack login --base-url <url>`.',
  )
  await run.out.answer({ data, next_cursor: null }, text, data.map(({ name }) => name).join('\n'))
}

async function useContext(run: Run, [name = '']: readonly string[]): Promise<void> {
  const config = await settings(run.io)
  const { baseUrl } = accessOf(config, {}, name)
  await saveSettings(run.io, { ...config, current: name })
  await run.out.answer({ context: name, base_url: baseUrl }, `The context is now ${name} (${baseUrl}).`)
}
