// The real Caddy (`apt-get install caddy`, or its path in CADDY) with the Caddyfile of deploy/compose before two replicas.
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isListening } from '@phonerack/launcher'
import { freePort } from '@phonerack/launcher/ports'
import { afterAll, expect, inject, it } from 'vitest'
import { startPostgresProxy } from './testing/postgres-proxy.js'
import { eventually, newDatabase, useWorld } from './testing/world.js'

const program = process.env['CADDY'] ?? '/usr/bin/caddy'
const world = useWorld()
let caddy: ChildProcess | null = null
afterAll(() => caddy?.kill('SIGKILL'))

it.skipIf(!existsSync(program))('tells a replica that is gone from a database that is gone', async () => {
  const postgres = await startPostgresProxy(await newDatabase(inject('neighbours').postgresUrl))
  const first = await world.start({ env: { DATABASE_URL: postgres.url } })
  const second = await world.start({ beside: first })
  const ports = [await freePort(), await freePort()]
  for (const [at, plane] of [first, second].entries())
    await plane.server.listen({ host: '127.0.0.1', port: ports[at] ?? 0 })
  const [port, home] = [await freePort(), path.join(world.dir, 'caddy')]
  mkdirSync(home)
  const text = readFileSync(path.join(import.meta.dirname, '../../deploy/compose/Caddyfile'), 'utf8')
    .replace('{$PHONERACK_DOMAIN}', `http://127.0.0.1:${port}`)
    .replace('control-1:8080 control-2:8080', ports.map((each) => `127.0.0.1:${each}`).join(' '))
  writeFileSync(path.join(home, 'Caddyfile'), `{\n\tadmin off\n}\n${text}`)
  caddy = spawn(program, ['run', '--adapter', 'caddyfile', '--config', path.join(home, 'Caddyfile')], {
    stdio: 'ignore',
    env: { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
  })
  await eventually(() => isListening(port), 30_000)
  const { key } = await first.tenant()
  const get = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/account`, {
      headers: { authorization: `Bearer ${key}`, connection: 'close' },
    })
    return { status: answer.status, wait: answer.headers.get('retry-after'), body: await answer.text() }
  }
  expect((await get()).status).toBe(200)
  const leave = (plane: typeof first): void => {
    plane.server.server.close()
    plane.server.server.closeAllConnections()
  }
  leave(first)
  // The other one gets each request.
  for (let request = 0; request < 10; request += 1) expect((await get()).status).toBe(200)
  const envelope = expect.stringContaining('"code":"service_unavailable"') as unknown
  postgres.close()
  expect(await get()).toMatchObject({ status: 503, body: envelope })
  postgres.open()
  await eventually(async () => (await get()).status === 200, 60_000)
  leave(second)
  expect(await get()).toMatchObject({ status: 503, wait: '2', body: envelope })
  await postgres.stop()
})
