/** `phonerack-agent accept` on a virtual phone. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import { runAccept } from './accept-command.js'
import { jarPath } from '../testing/jar.js'
import { startTestPhone } from '../testing/phone.js'

const folder = mkdtempSync(path.join(tmpdir(), 'phonerack-accept-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const reportSchema = z.object({
  passed: z.boolean(),
  phone: z.object({ maker: z.string(), model: z.string() }),
  checks: z.array(
    z.object({
      name: z.string(),
      verdict: z.string(),
      reason: z.string().nullable(),
      ms: z.number(),
      evidence: z.array(z.string()),
    }),
  ),
})

it('passes on a virtual phone, and writes a report', async () => {
  const phone = await startTestPhone()
  const report = path.join(folder, 'passes')
  let output = ''
  const config = {
    adbBin: 'adb',
    scrcpyServer: await jarPath(),
    isolated: false,
    allowSims: [],
    agentDir: null,
    programs: { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' },
  }
  const code = await runAccept(
    config,
    { serial: phone.serial, report },
    { out: (text) => void (output += text) },
  )
  await phone.stop()
  const [html = '', json = ''] = readdirSync(report).toSorted()
  const made = reportSchema.parse(JSON.parse(readFileSync(path.join(report, json), 'utf8')))
  expect(made.checks.filter(({ verdict }) => verdict !== 'passed').map(({ reason }) => reason)).toEqual([])
  expect(made.passed).toBe(true)
  const guard = made.checks.find(({ name }) => name === 'guard')
  expect(guard?.evidence).toContain('no store or wallet was tried')
  expect(code).toBe(0)
  expect(output).toMatch(/^ok +tap, \d+ ms$/m)
  expect(readFileSync(path.join(report, html), 'utf8')).toContain('Accepted')
})
