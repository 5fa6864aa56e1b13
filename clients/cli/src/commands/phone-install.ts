/** `phone apps|install|uninstall`. */
import { existsSync } from 'node:fs'
import type { Installable, UploadProgress } from '@phonerack/sdk'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import type { Progress } from '../output.js'
import { phoneOf, splitOperands } from '../phone-operand.js'
import { plain } from '@phonerack/shared/plain'
import { table } from '../table.js'
import { UsageError } from '../usage-error.js'

export function addPhoneInstallCommands(phone: Command, app: App): void {
  app.on<{ system?: boolean }>(
    phone
      .command('apps')
      .description('list installed apps')
      .argument('[phone]')
      .option('--system', 'also preinstalled apps'),
    apps,
  )
  app.on<{ replace?: boolean }>(
    phone
      .command('install')
      .description('install an APK file, an app of the library by its package, or an upload by its id')
      .argument('[phone]')
      .argument('[app]')
      .option('--replace', 'uninstall the app first, with its data'),
    install,
  )
  app.on(
    phone
      .command('uninstall')
      .description('delete an app with its data')
      .argument('[phone]')
      .argument('[package]'),
    uninstall,
  )
}

async function apps(run: Run, operands: readonly string[], { system }: { system?: boolean }): Promise<void> {
  const phone = await phoneOf(run, splitOperands(operands, []).phone)
  const all = await phone.apps(run.call)
  const data = system === true ? all : all.filter((each) => !each.system)
  const text = table(
    data,
    [
      { title: 'PACKAGE', value: (each) => each.package },
      { title: 'NAME', value: ({ label }) => label },
      { title: 'VERSION', value: ({ version_name: version }) => version },
      { title: 'CODE', value: ({ version_code: code }) => code },
    ],
    system === true ? 'No apps.' : 'No apps except for system apps, which --system lists.',
  )
  await run.out.answer({ data, next_cursor: null }, text, data.map((each) => plain(each.package)).join('\n'))
}

/**
 * Distinguishes a file, an upload and a package. A text that looks like a path counts as a file even if no such file
 * exists.
 */
export function installableOf(text: string, exists: (file: string) => boolean): Installable {
  if (/^upl_[a-z2-7]{12}$/.test(text)) return { upload: text }
  if (exists(text)) return text
  if (/\.apks?$|[/\\]/i.test(text)) throw new UsageError(`There is no file ${text}.`)
  return { package: text }
}

async function install(
  run: Run,
  operands: readonly string[],
  { replace }: { replace?: boolean },
): Promise<void> {
  const { phone: given, rest } = splitOperands(operands, ['app'])
  const app = installableOf(rest[0] ?? '', existsSync)
  const phone = await phoneOf(run, given)
  const installed = await run.out.during('Uploading', (progress) =>
    phone.install(app, {
      ...run.call,
      ...(replace === undefined ? {} : { replace }),
      onProgress: onProgressOf(progress),
    }),
  )
  const name = plain(installed.package)
  await run.out.answer(installed, `Installed ${name} on ${phone.id}.`, name)
}

type Part = UploadProgress['part'] | 'installing'

const labels: Readonly<Record<Part, string>> = {
  uploading: 'Uploading',
  processing: 'Checking the file',
  installing: 'Installing',
}

/** Returns a function that shows the progress of an upload and an install. */
export const onProgressOf =
  (shown: Progress) =>
  ({ part, fraction }: { part: Part; fraction: number | null }): void =>
    shown.update(labels[part], fraction)

async function uninstall(run: Run, operands: readonly string[]): Promise<void> {
  const { phone: given, rest } = splitOperands(operands, ['package'])
  const name = rest[0] ?? ''
  const phone = await phoneOf(run, given)
  await phone.uninstall(name, run.call)
  await run.out.answer({ package: name, uninstalled: true }, `Uninstalled ${plain(name)} from ${phone.id}.`)
}
