/** A killed `up`, in a separate folder. */
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { identify, isAlive, type ProcessIdentity } from '@phonerack/launcher'
import { expect, it, vi } from 'vitest'
import { Api } from '../system/api.js'
import { ctl, startSystem, stopSystem } from '../system/system.js'

/** Every process that an `up` has recorded, itself included. */
async function runningOf(dir: string): Promise<ProcessIdentity[]> {
  const files = await readdir(path.join(dir, 'run'))
  const records = files
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFile(path.join(dir, 'run', name), 'utf8'))
  return (await Promise.all(records)).map((text) => JSON.parse(text) as ProcessIdentity)
}

it('leaves nothing running when it was killed, and starts again with the same keys and phones', async () => {
  const first = await startSystem({ virtualPhones: 1 })
  const left = await runningOf(first.dir)
  // up, its guard, and five services.
  expect(left.length).toBe(7)
  expect(left.every(isAlive)).toBe(true)
  const devices = await ctl(first, 'device', 'list')

  process.kill(first.up.pid, 'SIGKILL')
  await vi.waitFor(() => expect(left.filter(isAlive)).toEqual([]), { timeout: 150_000, interval: 200 })

  const second = await startSystem({
    virtualPhones: 1,
    dir: first.dir,
    port: Number(new URL(first.up.base_url).port),
  })
  try {
    // Each start makes another link, until an operator has signed in.
    const lasting = { pid: 0, sign_in_url: null }
    expect({ ...second.up, ...lasting }).toEqual({ ...first.up, ...lasting })
    expect(second.up.sign_in_url).not.toBe(first.up.sign_in_url)
    // Its phones can be rented immediately.
    const created = await new Api(second.up.base_url, second.up.keys.admin).post('/v1/phones', {})
    expect(created.status, JSON.stringify(created.body)).toBeLessThan(300)
    expect((await stat(path.join(second.dir, 'up.json'))).mode & 0o777).toBe(0o600)
    expect((await stat(second.dir)).mode & 0o777).toBe(0o700)
    const serials = (list: unknown) =>
      (list as { data: { serial: string }[] }).data.map(({ serial }) => serial)
    expect(serials(await ctl(second, 'device', 'list'))).toEqual(serials(devices))
  } finally {
    const running = await runningOf(second.dir)
    await stopSystem(second)
    expect(running.filter(isAlive)).toEqual([])
    expect(identify(second.up.pid)).toBeNull()
  }
})
