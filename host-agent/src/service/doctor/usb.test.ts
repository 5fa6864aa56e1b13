import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-usb-'))
chmodSync(dir, 0o755)
afterAll(() => rmSync(dir, { recursive: true, force: true }))

it('finds a phone whose device file another user owns, when it runs as a user without rights', () => {
  const write = (name: string, text: string): void => {
    const file = path.join(dir, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const [name, value] of Object.entries({ busnum: '1', devnum: '4', product: 'Pixel', serial: 'S' }))
    write(`sys/1-4/${name}`, value)
  const adb = { bInterfaceClass: 'ff', bInterfaceSubClass: '42', bInterfaceProtocol: '01' }
  for (const [name, value] of Object.entries(adb)) write(`sys/1-4:1.0/${name}`, value)
  write('dev/001/004', '')
  chmodSync(path.join(dir, 'dev/001/004'), 0)
  // Root may open every file, so the reading runs as `nobody` then.
  const { output } = JSON.parse(readAs(process.getuid?.() === 0 ? 65_534 : undefined)) as { output: unknown }
  expect(output).toMatchObject({ value: [{ port: '1-4', serial: 'S', access: 'denied' }] })
})

function readAs(uid: number | undefined): string {
  // A copy, since the user may have no rights to the folder of the project.
  for (const name of ['service/doctor', 'adb/other-servers.js', 'adb/program.js', 'adb/usb.js'])
    cpSync(path.join(import.meta.dirname, '../../../dist', name), path.join(dir, name), { recursive: true })
  writeFileSync(path.join(dir, 'package.json'), '{"type":"module"}')
  const module = path.join(dir, 'service/doctor/usb.js')
  const script = `import(${JSON.stringify(module)}).then(async ({ readUsb }) => console.log(JSON.stringify({
    output: await readUsb(${JSON.stringify(path.join(dir, 'sys'))}, ${JSON.stringify(path.join(dir, 'dev'))}) })))`
  return execFileSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 60_000, cwd: dir, uid })
}
