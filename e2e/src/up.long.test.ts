/**
 * A running `up`: a second `up` on its folder, the devices that `ctl` shows, and the metrics of its programs.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, it, vi } from 'vitest'
import { ctl, readUpFile, root } from './system/system.js'

const run = promisify(execFile)

it('refuses a second up on the same folder, and names the first one’s address and how to stop it', async () => {
  const { dir, up } = inject('system')
  const attempt = run(path.join(root, 'scripts/up'), ['--data', dir, '--port', '0'], {
    cwd: root,
    timeout: 150_000,
  })
  await expect(attempt).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      new RegExp(`already running on .* ${up.base_url}, .*/up\\.json.*\\./scripts/down`),
    ) as string,
  })
  expect((await readUpFile(dir)).pid).toBe(up.pid)
})

it('shows the same device in the text and the JSON output', async () => {
  const system = inject('system')
  const list = (await ctl(system, 'device', 'list')) as { data: { serial: string }[] }
  const { stdout } = await run(path.join(root, 'scripts/ctl'), ['--data', system.dir, 'device', 'list'])
  for (const { serial } of list.data) expect(stdout).toContain(serial)
})

it('serves metrics of both programs, including all metrics of the alerts and the dashboard', async () => {
  const { metrics_urls: urls } = inject('system').up
  const folder = path.join(root, 'deploy/monitoring')
  const files = ['alerts.yml', ...(await readdir(folder)).filter((name) => /\.test\.yml$|\.json$/.test(name))]
  expect(files.length).toBeGreaterThan(3)
  const texts = await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')))
  const used = new Set(texts.join('\n').match(/\bphonerack_[a-z0-9_]+/g))
  // HTTP statuses are excluded, since possibly no request has failed.
  const selected = [...(texts[0] ?? '').matchAll(/phonerack_(?!http_)\w+\{([^}]*)\}/g)]
    .flatMap(([, labels = '']) => [...labels.matchAll(/(\w+)=~?"([^"]*)"/g)])
    .flatMap(([, label = '', values = '']) => values.split('|').map((value) => `${label}="${value}"`))
  expect(selected.length).toBeGreaterThan(10)
  expect(used.size).toBeGreaterThan(30)
  // On a busy machine, a reading of the database can take too long: its figures are then missing.
  await vi.waitFor(
    async () => {
      const [plane = '', agent = ''] = await Promise.all(
        [urls.control_plane, urls.host_agent ?? ''].map(async (url) => (await fetch(url)).text()),
      )
      const types = new Map(
        [...`${plane}\n${agent}`.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [
          name,
          type,
        ]),
      )
      const isExported = (name: string) =>
        types.has(name) || types.get(name.replace(/_(?:bucket|sum|count)$/, '')) === 'histogram'
      expect([...used].filter((name) => !isExported(name))).toEqual([])
      expect([...types.keys()].filter((name) => !name.startsWith('phonerack_'))).toEqual([])
      expect(selected.filter((label) => !plane.includes(label))).toEqual([])
      // The phones of the system were enrolled, and its host was heard.
      expect(plane).toMatch(/^phonerack_device_care_total\{kind="enroll",outcome="verified"\} [1-9]/m)
      expect(plane).toMatch(
        /^phonerack_host_call_duration_seconds_count\{call="EnrollDevice",outcome="OK"\} [1-9]/m,
      )
      expect(plane).toMatch(/^phonerack_heartbeats_total\{result="applied"\} [1-9]/m)
      expect(plane).toMatch(/^phonerack_host_certificate_days\{host="hst_\w+"\} 36\d/m)
      expect(agent).toMatch(/^phonerack_agent_wipe_duration_seconds_count\{outcome="verified"\} [1-9]/m)
      expect(agent).toMatch(/^phonerack_agent_heartbeats_total\{result="sent"\} [1-9]/m)
      // Labels contain host names, and no data of tenants or phones.
      const values = [...`${plane}${agent}`.matchAll(/="([^"]*)"/g)].map(([, value = '']) => value)
      const ids = values.filter(
        (value) => /^(?!hst_)[a-z]+_[a-z2-7]{12}$/.test(value) || value.includes('127.0.0.1'),
      )
      expect(ids).toEqual([])
    },
    { timeout: 120_000, interval: 2000 },
  )
})
