import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const module = pathToFileURL(path.join(import.meta.dirname, 'clock.mjs')).href
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'phonerack-clock-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const script = `
  const now = new Date()
  console.log(JSON.stringify({
    now: Date.now(), made: now.getTime(), isDate: now instanceof Date, given: new Date(5).getTime(),
    parsed: Date.parse('1970-01-01T00:00:01Z'), text: new Date(Date()).getTime(), monotonic: performance.now(),
  }))`

it('changes the date of a process, and no other clock', { timeout: 150_000 }, async () => {
  const file = path.join(dir, 'offset')
  const hour = 3_600_000
  await writeFile(file, String(-hour))
  const before = Date.now()
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', module, '--input-type=module', '-e', script],
    { env: { ...process.env, PHONERACK_CHAOS_CLOCK: file } },
  )
  const found = JSON.parse(stdout) as Record<string, number>
  for (const name of ['now', 'made', 'text'])
    expect(Math.abs((found[name] ?? 0) - (before - hour)), name).toBeLessThan(60_000)
  expect(found).toMatchObject({ isDate: true, given: 5, parsed: 1000 })
  expect(found['monotonic']).toBeLessThan(60_000)
})
