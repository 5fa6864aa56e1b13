// bench: the first whole path, compared with adb and bare Fastify routes
/**
 * The first whole path, compared in one run with the usual tools: a tap and a read of the screen with `adb`
 * as a process, a read of a phone's row with bare Fastify routes. `./scripts/bench path`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { z } from 'zod'
import { databaseUrl } from '@phonerack/e2e/system/database.js'
import { startSystem, stopSystem } from '@phonerack/e2e/system/system.js'
import { getPhone, newTenant, readyPhone } from '@phonerack/e2e/system/tenant.js'
import { plainAdb } from '@phonerack/e2e/system/plain-adb.js'
import { alternate, figures, print } from './figures.js'

const rounds = Number(process.env['ROUNDS'] ?? 100)
const seconds = Number(process.env['SECONDS'] ?? 8)

const system = await startSystem({
  virtualPhones: 1,
  env: { PHONERACK_REQUESTS_PER_MINUTE: '100000000', LOG_LEVEL: 'warn' },
})
try {
  const tenant = await newTenant(system)
  const phone = await readyPhone(tenant.admin, { max_duration: 3600, idle_timeout: 3600 })
  const path = `/v1/phones/${phone.id}`
  const devices = z.object({
    data: z.array(z.object({ serial: z.string(), phone_id: z.string().nullable() })),
  })
  const listed = devices.parse((await tenant.operator.get('/operator/v1/devices')).body)
  const serial = listed.data.find((device) => device.phone_id === phone.id)?.serial
  if (!serial) throw new Error('the phone holds no device')
  const adb = await plainAdb(serial)
  const must = async (answer: Promise<{ status: number; body: unknown }>): Promise<void> => {
    const { status, body } = await answer
    if (status !== 200) throw new Error(JSON.stringify(body))
  }
  const act = (action: Record<string, unknown>) => () =>
    must(tenant.admin.post(`${path}/actions`, { actions: [action], observe: 'none' }))

  try {
    print(
      'Tap (virtual phone, pace instant)',
      await alternate(
        [
          { name: 'POST /actions, one coordinate tap', run: act({ type: 'tap', target: { x: 540, y: 40 } }) },
          { name: 'adb shell input tap, as a process', run: () => adb.run('shell', 'input tap 540 40') },
        ],
        rounds,
      ),
    )
    print(
      'Read the screen (virtual phone, pace instant)',
      await alternate(
        [
          { name: 'GET /observe', run: () => must(tenant.admin.get(`${path}/observe`)) },
          {
            name: 'adb exec-out uiautomator dump /dev/tty',
            run: () => adb.run('exec-out', 'uiautomator dump /dev/tty'),
          },
        ],
        rounds,
      ),
    )
    const [row, batch] = await alternate(
      [
        { name: 'GET /v1/phones/{id}', run: () => must(tenant.admin.get(path)) },
        { name: 'POST /actions, wait 1 ms', run: act({ type: 'wait', ms: 1 }) },
      ],
      rounds,
    )
    if (!row || !batch) throw new Error('no figures')
    print('Hop control plane → agent → control plane', [row, batch])
    process.stdout.write(
      `the batch without its wait, less the row: ${(batch.p50 - row.p50 - 1).toFixed(2)} ms p50 (goal: under 3)\n`,
    )
  } finally {
    await adb.stop()
  }

  const body = await getPhone(tenant.admin, phone.id)
  const bare = spawn(
    process.execPath,
    [fileURLToPath(new URL('bare-route.js', import.meta.url)), JSON.stringify(body)],
    {
      env: { ...process.env, DATABASE_URL: await databaseUrl(system) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  try {
    const [port] = (await once(createInterface({ input: bare.stdout }), 'line')) as [string]
    const load = async (url: string): Promise<number> => {
      const headers = { authorization: `Bearer ${tenant.admin.key}` }
      const result = await autocannon({ url, headers, connections: 16, duration: seconds })
      if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url}: ${result.non2xx} refused`)
      return result.requests.average
    }
    const routes = [
      { name: 'GET /v1/phones/{id}', url: system.up.base_url + path },
      { name: 'bare Fastify route, one prepared SELECT', url: `http://127.0.0.1:${port}/row/${phone.id}` },
      { name: 'bare Fastify route, no backend', url: `http://127.0.0.1:${port}${path}` },
    ]
    const rates = routes.map((): number[] => [])
    for (let round = 0; round < 3; round++)
      for (const [index, { url }] of routes.entries()) rates[index]?.push(await load(url))
    const medians = routes.map(({ name }, index) => figures(name, rates[index] ?? []))
    const ours = medians[0]?.p50 ?? Number.NaN
    process.stdout.write(`\nRequests/s with 16 connections, medians of 3 × ${seconds} s\n`)
    for (const { name, p50 } of medians)
      process.stdout.write(
        `${name.padEnd(46)} ${p50.toFixed(0).padStart(7)}   ours / this ${(ours / p50).toFixed(2)}\n`,
      )
  } finally {
    bare.kill('SIGTERM')
    await once(bare, 'exit')
  }
} finally {
  await stopSystem(system)
}
