/** The program as a process: signals, an input that stays open, and an output that closes. Needs the build. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { apiKey, phoneFields, startService, type Service } from './testing/service.js'

const one = 'ph_aaaaaaaaaaaa'
const program = path.join(import.meta.dirname, '..', 'dist', 'cli.js')
let service: Service
let running: ChildProcess[]
beforeEach(async () => {
  running = []
  service = await startService()
  service.phones.push(phoneFields(one, 'shop'))
})
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL')
  await service.close()
})

function start(...words: string[]) {
  const env = {
    ...process.env,
    PHONERACK_API_KEY: apiKey,
    PHONERACK_BASE_URL: service.baseUrl,
    XDG_CONFIG_HOME: '/nonexistent',
  }
  const child = spawn(process.execPath, [program, ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  running.push(child)
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString('utf8')))
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode: exitCode as number | null, out, err }))
  return { child, ended }
}

it('prints the screen, and ends with 0', async () => {
  const { exitCode, out } = await start('phone', 'observe', one).ended
  expect(exitCode).toBe(0)
  expect(out).toContain('[1] Button "Next" #next')
})

it('ends although its input stays open', async () => {
  const { child, ended } = start('phone', 'batch', one, '-')
  child.stdin.write('not JSON\n')
  expect(await ended).toMatchObject({ exitCode: 2, out: '' })
})

it('ends with 130 after Ctrl-C, and names the phone that is billed', async () => {
  const creating = phoneFields(one, 'shop', 'creating')
  service.answers.set('POST /v1/phones', () => ({ status: 202, body: creating }))
  let asked: () => void = () => undefined
  const isAsked = new Promise<void>((resolve) => (asked = resolve))
  service.answers.set(`GET /v1/phones/${one}`, () => {
    asked()
    return { body: creating }
  })
  const { child, ended } = start('phone', 'create')
  await isAsked
  child.kill('SIGINT')
  const { exitCode, err } = await ended
  expect(exitCode).toBe(130)
  expect(err).toContain(`phonerack phone park ${one}`)
})

it('ends quietly when its reader has gone', async () => {
  service.phones.push(...Array.from({ length: 5000 }, () => phoneFields('ph_bbbbbbbbbbbb', 'bank')))
  const { child, ended } = start('phone', 'list', '--json')
  child.stdout.destroy()
  expect(await ended).toMatchObject({ exitCode: 0, err: '' })
})
