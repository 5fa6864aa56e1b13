/** `app upload|list|library`: apps of the project, and apps that the operator offers. */
import type { LibraryApp, Pages, Upload } from '@phonerack/sdk'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { relative } from '../duration.js'
import { noteMore, pageOf, pageOptions, type PageFlags } from '../pages.js'
import { plain } from '@phonerack/shared/plain'
import { requireFile } from '../save.js'
import { table } from '../table.js'
import { onProgressOf } from './phone-install.js'

export function addAppCommands(program: Command, app: App): void {
  const apps = program.command('app').description('apps to install')
  app.on(
    apps.command('upload').description('upload an APK file, for several installs').argument('<file>'),
    upload,
  )
  app.on<PageFlags>(pageOptions(apps.command('list').description('list the uploads of the project')), list)
  app.on<PageFlags>(
    pageOptions(
      apps.command('library').description('search the apps that the service offers').argument('[query]'),
      false,
    ),
    library,
  )
}

async function upload(run: Run, [file = '']: readonly string[]): Promise<void> {
  await requireFile(file)
  const { client } = await run.session()
  const done = await run.out.during('Uploading', (progress) =>
    client.apps.upload(file, { ...run.call, onProgress: onProgressOf(progress) }),
  )
  const name = plain(`${done.package ?? file} ${done.version_name ?? ''}`).trim()
  await run.out.answer(
    done,
    `Uploaded ${name} as ${done.id}. Install it: phonerack phone install <phone> ${done.id}`,
    done.id,
  )
}

async function list(run: Run, _operands: readonly string[], flags: PageFlags): Promise<void> {
  const { client } = await run.session()
  const page = await pageOf(client.apps.uploads(run.call) as Pages<unknown, Upload>, flags)
  const text = table(
    page.data,
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'PACKAGE', value: (each) => each.package },
      { title: 'VERSION', value: ({ version_name: version }) => version },
      {
        title: 'STATUS',
        value: ({ status, error }) => (error === null ? status : `${status} (${error.code})`),
      },
      { title: 'SIZE', value: ({ size_bytes: size }) => size },
      { title: 'EXPIRES', value: ({ expires_at: expires }) => relative(expires, run.io.now()) },
    ],
    'No uploads. Upload an app with `phonerack app upload <file>`.',
  )
  await run.out.answer(page, text, page.data.map(({ id }) => id).join('\n'))
  await noteMore(run, page.next_cursor)
}

async function library(run: Run, [query = '']: readonly string[], flags: PageFlags): Promise<void> {
  const { client } = await run.session()
  const page = await pageOf(client.apps.library(query, run.call) as Pages<unknown, LibraryApp>, flags)
  const text = table(
    page.data,
    [
      { title: 'PACKAGE', value: (each) => each.package },
      { title: 'NAME', value: ({ label }) => label },
      { title: 'VERSION', value: ({ version_name: version }) => version },
    ],
    'The library has no such app.',
  )
  await run.out.answer(page, text, page.data.map((each) => plain(each.package)).join('\n'))
  await noteMore(run, page.next_cursor)
}
