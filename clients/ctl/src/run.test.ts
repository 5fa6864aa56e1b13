import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { plainLines } from '@phonerack/shared'
import { hostileTexts } from '@phonerack/shared/testing/plain-texts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCtl } from './run.js'
import { fields, table } from './table.js'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'phonerack-ctl-test-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

async function ctl(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', '']
  const code = await runCtl(argv, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    environment: {},
  })
  return { code, out, err }
}

describe('ctl', () => {
  it('says that no control plane runs, and how to start it', async () => {
    expect(await ctl('--data', dir, 'host', 'list')).toMatchObject({ code: 1, out: '' })
    expect((await ctl('--data', dir, 'host', 'list')).err).toMatch(/is not running on .*\.\/scripts\/up/)
  })

  it('says that no control plane answers, in text and in JSON', async () => {
    const token = `pro_${'A'.repeat(43)}`
    writeFileSync(
      path.join(dir, 'up.json'),
      JSON.stringify({ operator_url: 'http://127.0.0.1:9', operator_token: token }),
    )
    const answer = await ctl('--data', dir, '--json', 'host', 'list')
    expect(answer).toMatchObject({ code: 1, out: '' })
    expect(JSON.parse(answer.err)).toMatchObject({ error: { code: 'not_running' } })
    expect(answer.err).not.toContain(token)
  })

  it('exits with 2 on a wrong command line', async () => {
    expect(await ctl('nonsense')).toMatchObject({ code: 2, out: '' })
    expect(await ctl('activity', 'list')).toMatchObject({ code: 2 })
    expect(await ctl('device', 'list', 'extra')).toMatchObject({ code: 2 })
  })

  it('says that a phone is being wiped only after the service has accepted its enrolment', async () => {
    const device = { id: 'dev_aaaaaaaaaaaa', serial: 'R5CT', maker: 'Acme', model: 'One', state: 'free' }
    let accepts = false
    const server = createServer((request, response) => {
      const refused = {
        error: { code: 'validation_failed', message: 'It cannot be enrolled while it is free.' },
      }
      const isEnrolment = request.method === 'POST'
      response.statusCode = isEnrolment && !accepts ? 400 : 200
      response.end(JSON.stringify(isEnrolment && !accepts ? refused : device))
    }).listen(0, '127.0.0.1')
    try {
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const up = { operator_url: `http://127.0.0.1:${port}`, operator_token: `pro_${'A'.repeat(43)}` }
      writeFileSync(path.join(dir, 'up.json'), JSON.stringify(up))
      const enroll = () => ctl('--data', dir, 'device', 'enroll', 'R5CT', '--erase')
      const refused = await enroll()
      expect(refused).toMatchObject({ code: 1, out: '' })
      expect(refused.err).toContain('It cannot be enrolled while it is free.')
      accepts = true
      expect((await enroll()).out).toContain('ALL DATA ON IT IS BEING WIPED.')
    } finally {
      server.close()
    }
  })

  it('prints the next step of an error that has one', async () => {
    const next = 'Run ./scripts/ctl setup approve CODE --project ID.'
    let body: object = { code: 'validation_failed', message: 'It is required.', next }
    const server = createServer((_request, response) => {
      response.statusCode = 400
      response.end(JSON.stringify({ error: body }))
    }).listen(0, '127.0.0.1')
    try {
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const up = { operator_url: `http://127.0.0.1:${port}`, operator_token: `pro_${'A'.repeat(43)}` }
      writeFileSync(path.join(dir, 'up.json'), JSON.stringify(up))
      const list = () => ctl('--data', dir, 'host', 'list')
      expect((await list()).err).toBe(`ctl: It is required. (validation_failed)\n${next}\n`)
      body = { code: 'validation_failed', message: 'It is required.', next: null }
      expect((await list()).err).toBe('ctl: It is required. (validation_failed)\n')
      body = { code: 'validation_failed', message: 'It is required.', next: 'a\u001b[2Jb' }
      expect((await list()).err).not.toContain('\u001b')
    } finally {
      server.close()
    }
  })

  it('prints nothing that hides or moves text, and keeps each value in JSON', async () => {
    const data = hostileTexts.map(({ text }, index) => ({
      id: `proj_${index}`,
      name: text,
      balance_usd: '1',
      reserved_usd: '0',
    }))
    const refusal = { code: 'validation_failed', message: hostileTexts.map(({ text }) => text).join('\n') }
    let isRefused = false
    const server = createServer((_request, response) => {
      response.statusCode = isRefused ? 400 : 200
      response.end(JSON.stringify(isRefused ? { error: refusal } : { data }))
    }).listen(0, '127.0.0.1')
    try {
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const up = { operator_url: `http://127.0.0.1:${port}`, operator_token: `pro_${'A'.repeat(43)}` }
      writeFileSync(path.join(dir, 'up.json'), JSON.stringify(up))
      const text = await ctl('--data', dir, 'project', 'list')
      const rows = text.out.split('\n')
      for (const [index, { about, plain }] of hostileTexts.entries())
        expect(rows[index + 1], about).toContain(`  ${plain}  `)
      const json = await ctl('--data', dir, '--json', 'project', 'list')
      expect(JSON.parse(json.out)).toMatchObject({ data })
      isRefused = true
      const refused = await ctl('--data', dir, 'project', 'list')
      for (const { about, lines } of hostileTexts) expect(refused.err, about).toContain(lines)
      const refusedJson = await ctl('--data', dir, '--json', 'project', 'list')
      expect(JSON.parse(refusedJson.err)).toMatchObject({ error: refusal })
      for (const printed of [text.out, json.out, refused.err, refusedJson.err])
        expect(plainLines(printed)).toBe(printed)
    } finally {
      server.close()
    }
  })

  it('requires an APK for the library, and sends nothing when one is missing', async () => {
    expect(await ctl('library', 'add')).toMatchObject({ code: 2, out: '' })
    writeFileSync(
      path.join(dir, 'up.json'),
      JSON.stringify({ operator_url: 'http://127.0.0.1:9', operator_token: `pro_${'A'.repeat(43)}` }),
    )
    writeFileSync(path.join(dir, 'base.apk'), 'no matter what')
    const files = [path.join(dir, 'base.apk'), path.join(dir, 'missing.apk')]
    const answer = await ctl('--data', dir, 'library', 'add', ...files)
    expect(answer).toMatchObject({ code: 1, out: '' })
    expect(answer.err).toContain('missing.apk')
    expect(await ctl('--data', dir, 'library', 'add', files[0] ?? '')).toMatchObject({ code: 1 })
  })
})

describe('tables', () => {
  it('have aligned columns and no control characters', () => {
    const rows = [
      { name: 'a\u001b[2J\nb', n: 1 },
      { name: 'Größe 👍', n: null },
    ]
    const text = table(
      rows,
      [
        { title: 'NAME', value: (row) => row.name },
        { title: 'N', value: (row) => row.n },
      ],
      'none',
    )
    expect(text.split('\n')).toEqual(['NAME     N', 'a b      1', 'Größe 👍  -'])
    expect(table([], [], 'none')).toBe('none')
    expect(
      fields([
        ['Name', 'x\u0007'],
        ['Longer', null],
      ]),
    ).toBe('Name    x\nLonger  -')
  })
})
