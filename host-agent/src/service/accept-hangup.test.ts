/** `phonerack-agent accept` in a terminal that is closed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { jarPath } from '../testing/jar.js'
import { startTestPhone } from '../testing/phone.js'

it('ends the run and cleans up after its terminal was closed', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'phonerack-hangup-test-'))
  const [report, temporary] = [path.join(folder, 'report'), path.join(folder, 'tmp')]
  mkdirSync(temporary)
  const phone = await startTestPhone()
  const child = spawn(
    process.execPath,
    ['dist/cli.js', 'accept', phone.serial, '--erase', '--report', report],
    {
      cwd: path.resolve(import.meta.dirname, '../..'),
      env: { PATH: process.env['PATH'], TMPDIR: temporary, PHONERACK_SCRCPY_SERVER: await jarPath() },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const ended = once(child, 'exit')
  try {
    let output = ''
    while (!/^ok +connection/m.test(output))
      output += String((await once(child.stdout, 'data', { signal: AbortSignal.timeout(60_000) }))[0])
    // No process reads the output now.
    child.stdout.destroy()
    child.stderr.destroy()
    child.kill('SIGHUP')
    expect(await ended).toEqual([1, null])
    expect(readdirSync(temporary)).toEqual([])
    const [, json = ''] = readdirSync(report).toSorted()
    expect(readFileSync(path.join(report, json), 'utf8')).toContain('the run was interrupted')
  } finally {
    child.kill('SIGKILL')
    await phone.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
