/** A Prometheus that does not start is an error of the check, not of the process. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startPrometheus } from './prometheus.js'

const metrics = { control_plane: 'http://127.0.0.1:1', host_agent: 'http://127.0.0.1:2' }
let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'phonerack-prometheus-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

it('rejects when the program is missing', async () => {
  const program = path.join(dir, 'none')
  await expect(startPrometheus(program, dir, { metrics_urls: metrics })).rejects.toThrow(
    `Prometheus cannot be started: spawn ${program} ENOENT`,
  )
})

it.each([
  ['exit 3', 'ended with 3'],
  ['kill -9 $$', 'ended with SIGKILL'],
])('rejects when the program ends by `%s`', async (command, reason) => {
  const program = path.join(dir, 'program')
  await writeFile(program, `#!/bin/sh\necho no >&2\n${command}\n`)
  await chmod(program, 0o755)
  await expect(startPrometheus(program, dir, { metrics_urls: metrics })).rejects.toThrow(
    `Prometheus ${reason}: no`,
  )
})
