/** Findings of `phonerack-agent doctor` about phones, with a running agent, the real adb server and virtual phones. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createLogger } from '@phonerack/shared'
import { startPhone, type Phone } from '@phonerack/virtual-phone'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findingsOf } from './doctor-command.js'
import { runHealth } from './health-command.js'
import { markProcess } from '../adb/process-identity.js'
import { startAdbServer } from '../adb/server.js'
import { adbSocketPath } from '../adb/sockets.js'
import { startTestHost, type TestHost } from '../testing/agent.js'
import { until } from '../testing/until.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-doctor-phones-'))
const folders = { proc: '/proc', usb: path.join(dir, 'usb'), usbNodes: path.join(dir, 'nodes') }
let phones: [Phone, Phone]
let host: TestHost
const serialOf = ({ port }: Phone): string => `127.0.0.1:${port}`

beforeAll(async () => {
  const start = (name: string, auth: false | 'first') =>
    startPhone({ port: 0, dataDir: path.join(dir, name), pace: 'instant', auth })
  phones = [await start('one', 'first'), await start('two', false)]
  host = await startTestHost(phones.map(serialOf))
  markProcess(path.join(host.config.dataDir, 'agent.json'), process.pid)
  await untilConnected()
})
afterAll(async () => {
  await host.stop()
  for (const phone of phones) await phone.close()
  rmSync(dir, { recursive: true, force: true })
})

const found = async (id: string, limitMs?: number) =>
  (await findingsOf(host.config, folders, limitMs))
    .filter((finding) => finding.id === id)
    .map(({ level, about }) => `${level} ${about}`)

/** The adb server lists phones in the order in which they connected. */
const untilConnected = (): Promise<void> =>
  until(
    async () => {
      const texts = await found('phones')
      return phones.every((phone) => texts.includes(`ok ${serialOf(phone)} is connected`))
    },
    100_000,
    'both phones are connected',
  )

it('finds phones that reach neither the agent nor each other', async () => {
  const { grpcListen } = host.config
  const [text, ...others] = await found('phone_network')
  expect([text?.startsWith('ok 2 phones connect to none of '), others]).toEqual([true, []])
  for (const phone of phones) expect(text).toContain(serialOf(phone))
  host.config.grpcListen = '192.0.2.2:7710'
  expect((await found('phone_network'))[0]).toContain('192.0.2.2:7710')
  host.config.grpcListen = grpcListen
})

it('reports a phone that reaches another phone, and a phone that reaches the agent', async () => {
  const [one, two] = phones
  const { grpcListen } = host.config
  one.faults.joinNetwork('192.0.2.7/24', [serialOf(two)])
  host.config.grpcListen = '192.0.2.2:7710'
  two.faults.joinNetwork('192.0.2.8/24', ['192.0.2.2:7710'])
  expect((await found('phone_network')).sort()).toEqual([
    `error ${serialOf(one)} can connect to the ADB port of the phone ${serialOf(two)}`,
    `warning ${serialOf(two)} can connect to the agent at 192.0.2.2:7710`,
  ])
  host.config.grpcListen = grpcListen
  for (const phone of phones) phone.faults.joinNetwork(null)
})

it('reports a place that could not be tried, and a place that was reached', async () => {
  const [one, two] = phones
  const { grpcListen } = host.config
  host.config.grpcListen = '192.0.2.2:7710'
  one.faults.joinNetwork('192.0.2.7/24', ['192.0.2.2:7710'])
  one.faults.hangEvery(1, serialOf(two).replace(':', ' '))
  const texts = (await found('phone_network', 2000)).filter((text) => text.includes(serialOf(one)))
  one.faults.hangEvery(0)
  one.faults.joinNetwork(null)
  host.config.grpcListen = grpcListen
  expect(texts).toEqual([
    expect.stringMatching(/^unknown whether .* could not be checked/),
    `warning ${serialOf(one)} can connect to the agent at 192.0.2.2:7710`,
  ])
})

it('reports that nothing was tried where no place can be tried', async () => {
  const { adbConnect } = host.config
  host.config.adbConnect = adbConnect.slice(0, 1)
  const texts = await found('phone_network')
  host.config.adbConnect = adbConnect
  expect(texts[0]).toMatch(/^unknown nothing was tried/)
})

it('reports a phone that never answers as offline', async () => {
  const [one] = phones
  await one.faults.setOffline(true)
  await until(
    async () => (await found('phones')).some((text) => text === `error ${serialOf(one)} is offline`),
    100_000,
    'the phone is offline',
  )
  await one.faults.setOffline(false)
  await untilConnected()
})

it('reports a phone that has withdrawn the key of the agent as unauthorized', async () => {
  const [one] = phones
  await one.faults.makeUnauthorized()
  await until(
    async () => (await found('phones')).some((text) => text === `error ${serialOf(one)} is unauthorized`),
    100_000,
    'the phone is unauthorized',
  )
  await until(() => one.adbKeys.allow() > 0, 60_000, 'the phone asks')
  await untilConnected()
})

it('names the phone of an adb server that does not answer, and a phone that its server does not reach', async () => {
  const { adbConnect } = host.config
  const broken = adbSocketPath(host.config.dataDir, 'broken:5555')
  host.config.adbConnect = [...adbConnect, 'broken:5555', 'away:5555']
  const away = await startAdbServer({
    bin: 'adb',
    dataDir: host.config.dataDir,
    log: createLogger('test', { write: () => undefined }),
    serves: { kind: 'network', serial: 'away:5555' },
  })
  const texts = await found('phones')
  await away.stop()
  host.config.adbConnect = adbConnect
  expect(existsSync(broken)).toBe(false)
  expect(texts).toEqual([
    ...phones.map((phone) => `ok ${serialOf(phone)} is connected`),
    expect.stringMatching(/^error the adb server of broken:5555 does not answer: /),
    'error away:5555 is not connected',
  ])
})

it('has a health check that passes while the agent and some adb server work', async () => {
  const health = async (config: Parameters<typeof runHealth>[0]) => {
    let out = ''
    const io = { out: (text: string) => (out += text), err: () => undefined, env: {}, stdin: process.stdin }
    return `${await runHealth(config, io)} ${out.trim()}`
  }
  const config = { ...host.config, grpcListen: `0.0.0.0:${host.agent.grpcPort}` }
  expect(await health(config)).toBe('0 ok')
  expect(await health({ ...config, adbConnect: ['broken:5555', ...config.adbConnect] })).toBe('0 ok')
  expect(await health({ ...config, grpcListen: '127.0.0.1:1' })).toMatch(/^1 the agent does not accept calls/)
  expect(await health({ problem: 'nats_url is missing' })).toBe('1 nats_url is missing')
  const elsewhere = path.join(dir, 'elsewhere')
  expect(await health({ ...config, dataDir: elsewhere })).toBe(`1 no agent runs in ${elsewhere}`)
  mkdirSync(elsewhere)
  markProcess(path.join(elsewhere, 'agent.json'), process.pid)
  expect(await health({ ...config, dataDir: elsewhere })).toMatch(/^1 no adb server of the agent answers: /)
})
