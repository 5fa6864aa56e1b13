/** `phone ls|push|pull`: files in the shared storage. */
import { openAsBlob } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { phoneOf, splitOperands, type Operands } from '../phone-operand.js'
import { plain } from '@phonerack/shared/plain'
import { localName, requireFile, saveFile } from '../save.js'
import { readAll } from '../stdin.js'
import { table } from '../table.js'
import { relative } from '../duration.js'
import { UsageError } from '../usage-error.js'

export function addPhoneFileCommands(phone: Command, app: App): void {
  app.on(
    phone
      .command('ls')
      .description('list a folder of the phone')
      .argument('[phone]')
      .argument('[folder]', 'the default is /sdcard'),
    ls,
  )
  app.on<{ to?: string }>(
    phone
      .command('push')
      .description('copy a file to the phone; - is stdin')
      .argument('[phone]')
      .argument('[file]')
      .option('--to <path>', 'path on the phone; the default is /sdcard/Download with the name of the file'),
    push,
  )
  app.on<{ output?: string; force?: boolean }>(
    phone
      .command('pull')
      .description('copy a file from the phone')
      .argument('[phone]')
      .argument('[path]')
      .option('-o, --output <file>', 'the file to write; - is stdout')
      .option('--force', 'overwrite the file'),
    pull,
  )
}

/** An operand that starts with `/` is a path on the phone. Another operand is a phone. */
function folderOperands(operands: readonly string[]): Operands {
  const [first] = operands
  if (operands.length === 1 && first?.startsWith('/') === true) return { phone: null, rest: [first] }
  return operands.length === 2 ? splitOperands(operands, ['folder']) : splitOperands(operands, [])
}

async function ls(run: Run, operands: readonly string[]): Promise<void> {
  const { phone: given, rest } = folderOperands(operands)
  const phone = await phoneOf(run, given)
  const data = await phone.files.list(rest[0], run.call)
  const text = table(
    data,
    [
      { title: 'NAME', value: ({ name, type }) => (type === 'directory' ? `${name}/` : name) },
      { title: 'SIZE', value: ({ size, type }) => (type === 'directory' ? null : size) },
      { title: 'CHANGED', value: ({ modified_at: changed }) => relative(changed, run.io.now()) },
    ],
    'The folder is empty.',
  )
  await run.out.answer({ data, next_cursor: null }, text, data.map(({ name }) => plain(name)).join('\n'))
}

async function push(run: Run, operands: readonly string[], { to }: { to?: string }): Promise<void> {
  const { phone: given, rest } = splitOperands(operands, ['file'])
  const file = rest[0] ?? ''
  if (file === '-' && to === undefined) throw new UsageError('--to is missing.', 'stdin has no name.')
  const content = file === '-' ? await readAll(run.io) : await openAsBlob(await requireFile(file))
  const phone = await phoneOf(run, given)
  const target =
    to === undefined || to.endsWith('/') ? `${to ?? '/sdcard/Download/'}${path.basename(file)}` : to
  const written = await phone.files.write(target, content, run.call)
  await run.out.answer(written, `Wrote ${written.size} bytes to ${plain(written.path)}.`, plain(written.path))
}

async function pull(
  run: Run,
  operands: readonly string[],
  { output, force }: { output?: string; force?: boolean },
): Promise<void> {
  const { phone: given, rest } = splitOperands(operands, ['path'])
  const source = rest[0] ?? ''
  const phone = await phoneOf(run, given)
  const content = await phone.files.read(source, run.call)
  if (output === '-') return run.out.bytes(content)
  const file = output ?? localName(source)
  await saveFile(file, content, force === true)
  await run.out.answer(
    { file, size: content.byteLength },
    `Wrote ${content.byteLength} bytes to ${plain(file)}.`,
    file,
  )
}
