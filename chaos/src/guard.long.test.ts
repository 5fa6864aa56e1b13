/** A killed run leaves no process and no mount. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { identify, isAlive, markVariable } from '@phonerack/launcher'
import { expect, it } from 'vitest'
import { canMount, mountSmallDisk } from '@phonerack/e2e/system/small-disk.js'

const guard = path.join(import.meta.dirname, 'guard.mjs')
/** Starts a guard like a run, and is then killed. */
const script = `
  import { spawn } from 'node:child_process'
  import { setTimeout as sleep } from 'node:timers/promises'
  const [, guard, dir] = process.argv
  spawn(process.execPath, [guard, dir], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  console.log('started')
  await sleep(60_000)`

it('ends the processes and mounts of a killed run', { timeout: 120_000 }, async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-guard-'))
  const left = spawn('sleep', ['300'], { env: { ...process.env, [markVariable]: dir }, stdio: 'ignore' })
  await once(left, 'spawn')
  const identity = identify(left.pid ?? 0)
  const place = path.join(dir, 'disk')
  await mkdir(place)
  const mayMount = await canMount()
  if (mayMount) await mountSmallDisk(place, 1 << 20)
  const run = spawn(process.execPath, ['--input-type=module', '-e', script, guard, dir], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(run.stdout, 'data')
  run.kill('SIGKILL')
  await expect.poll(() => identity && isAlive(identity), { timeout: 150_000 }).toBe(false)
  await expect.poll(() => existsSync(dir), { timeout: 150_000 }).toBe(false)
  expect(await readFile('/proc/mounts', 'utf8')).not.toContain(dir)
})
