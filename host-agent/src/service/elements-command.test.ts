/** `phonerack-agent elements` on files of a test. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from './command.js'

let dir: string
let file: string
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'phonerack-elements-'))
  file = path.join(dir, 'dump.xml')
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

async function elements(...more: string[]) {
  const printed = { out: '', err: '' }
  const outcome = await runCommand(['elements', file, '--screen', '1080x2400', ...more], {
    out: (text) => (printed.out += text),
    err: (text) => (printed.err += text),
    env: {},
    stdin: process.stdin,
  })
  return { ...outcome, ...printed }
}

it('prints the elements that an agent sees in a dump', async () => {
  const node =
    '<node index="0" text="Go \u202eon" resource-id="com.x:id/go" class="android.widget.Button" package="com.x" content-desc="" checkable="false" checked="false" clickable="true" enabled="true" focusable="true" focused="false" scrollable="false" long-clickable="false" password="false" selected="false" bounds="[10,20][110,60]" />'
  writeFileSync(file, `<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation="0">${node}</hierarchy>`)
  const human = await elements()
  expect(human).toMatchObject({ exitCode: 0, err: '' })
  expect(human.out).toContain('[1] Button "Go on" #')
  const json = await elements('--json')
  expect(JSON.parse(json.out)).toMatchObject({ elements: [{ ref: 1, type: 'Button', center: [60, 40] }] })
})

it('reports why a file cannot be read or is not a dump', async () => {
  rmSync(file, { force: true })
  expect(await elements()).toMatchObject({ exitCode: 2, out: '' })
  writeFileSync(file, '<a><b></a>')
  const answer = await elements()
  expect(answer).toMatchObject({ exitCode: 1, out: '' })
  expect(answer.err).toMatch(/^phonerack-agent: ./)
})
