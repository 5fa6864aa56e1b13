/**
 * An `up` that was killed, and an `up` whose operator token was revoked, in a separate folder. The tests
 * build on each other.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { identify, isAlive, type ProcessIdentity } from '@phonerack/launcher'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { Api } from '../system/api.js'
import { ctl, root, startSystem, stopSystem, type System } from '../system/system.js'

let system: System
beforeAll(async () => {
  system = await startSystem({ virtualPhones: 1 })
})
afterAll(() => stopSystem(system))

const startAgain = (): Promise<System> =>
  startSystem({ virtualPhones: 1, dir: system.dir, port: Number(new URL(system.up.base_url).port) })

/** Every process that an `up` has recorded, including itself. */
async function runningOf(dir: string): Promise<ProcessIdentity[]> {
  const files = await readdir(path.join(dir, 'run'))
  const records = files
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFile(path.join(dir, 'run', name), 'utf8'))
  return (await Promise.all(records)).map((text) => JSON.parse(text) as ProcessIdentity)
}

it('leaves nothing running when it was killed, and starts again with the same keys and phones', async () => {
  const first = system
  const left = await runningOf(first.dir)
  // The processes are up, its guard, and five services.
  expect(left.length).toBe(7)
  expect(left.every(isAlive)).toBe(true)
  const devices = await ctl(first, 'device', 'list')

  process.kill(first.up.pid, 'SIGKILL')
  await vi.waitFor(() => expect(left.filter(isAlive)).toEqual([]), { timeout: 150_000, interval: 200 })

  system = await startAgain()
  // Each start creates another link, until an operator has signed in.
  const lasting = { pid: 0, sign_in_url: null }
  expect({ ...system.up, ...lasting }).toEqual({ ...first.up, ...lasting })
  expect(system.up.sign_in_url).not.toBe(first.up.sign_in_url)
  // The phones of the new start can be rented immediately.
  const created = await new Api(system.up.base_url, system.up.keys.admin).post('/v1/phones', {})
  expect(created.status, JSON.stringify(created.body)).toBeLessThan(300)
  expect((await stat(path.join(system.dir, 'up.json'))).mode & 0o777).toBe(0o600)
  expect((await stat(system.dir)).mode & 0o777).toBe(0o700)
  const serials = (list: unknown) => (list as { data: { serial: string }[] }).data.map(({ serial }) => serial)
  expect(serials(await ctl(system, 'device', 'list'))).toEqual(serials(devices))
})

it('replaces its revoked token and the one demo key that was revoked, and starts normally', async () => {
  const keyList = z.object({
    data: z.array(z.object({ id: z.string(), name: z.string(), revoked_at: z.string().nullable() })),
  })
  const keys = async () =>
    keyList.parse(await ctl(system, 'key', 'list', '--project', system.up.project.id)).data
  const agent = (await keys()).find(({ name }) => name === 'demo agent')
  await ctl(system, 'key', 'revoke', agent?.id ?? '')
  const list = z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) })
  const tokens = list.parse(await ctl(system, 'operator', 'token', 'list'))
  const own = tokens.data.find(({ name }) => name === 'configured')
  await ctl(system, 'operator', 'token', 'revoke', own?.id ?? '')
  const running = await runningOf(system.dir)
  const down = [path.join(root, 'scripts/down'), ['--data', system.dir]] as const
  await promisify(execFile)(...down, { cwd: root, timeout: 150_000 })
  expect(running.filter(isAlive)).toEqual([])
  expect(identify(system.up.pid)).toBeNull()

  const { up } = system
  system = await startAgain()
  expect(system.up.operator_token).not.toBe(up.operator_token)
  expect(system.up.operator_url).toBe(up.operator_url)
  const { agent: replaced, ...kept } = up.keys
  expect(system.up.keys).toMatchObject(kept)
  expect(system.up.keys.agent).not.toBe(replaced)
  const active = (await keys()).filter(({ revoked_at: revoked }) => revoked === null)
  expect(active.map(({ name }) => name).sort()).toEqual(['demo admin', 'demo agent', 'demo read-only'])
  expect(await ctl(system, 'project', 'list')).toMatchObject({ data: expect.any(Array) as unknown[] })
})
