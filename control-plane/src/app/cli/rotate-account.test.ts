// The account of the hosts on a real broker is replaced: earlier files and users are refused, and hosts join again.
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { startNats } from '@phonerack/launcher/nats'
import { connect, credsAuthenticator } from '@nats-io/transport-node'
import { expect, it, onTestFinished } from 'vitest'
import { startAgentDouble } from '../../testing/agent-double.js'
import { eventually, useWorld, type Plane } from '../../testing/world.js'
import { runCommand } from './commands.js'

const world = useWorld()

it('replaces the account, refuses the earlier files, and lets hosts join with the new one', async () => {
  const dir = path.join(world.dir, 'nats')
  let nats = await startNats({ dir })
  onTestFinished(() => nats.stop())
  const envOf = (of: (file: string) => string) => ({
    NATS_URL: nats.url,
    NATS_CREDS_FILE: of(nats.controlPlaneCredsFile),
    NATS_ACCOUNT_SEED_FILE: of(nats.accountSeedFile),
  })
  const plane = await world.start({ env: envOf((file) => file) })
  const join = (on: Plane, name: string) =>
    startAgentDouble({
      server: on.server,
      operator: on.operator,
      operatorToken: on.operatorToken,
      natsUrl: nats.url,
      name,
    })
  const earlier = path.join(world.dir, 'earlier')
  mkdirSync(earlier)
  const keep = (file: string) => path.join(earlier, path.basename(file))
  for (const file of [nats.controlPlaneCredsFile, nats.accountSeedFile]) copyFileSync(file, keep(file))

  let [out, err] = ['', '']
  const code = await runCommand(
    ['nats-config', '--dir', dir, '--rotate-account'],
    { write: (text) => (out += text) },
    { write: (text) => (err += text) },
    { DATABASE_URL: plane.config.databaseUrl, PHONERACK_PKI_DIR: plane.config.pkiDir },
  )
  expect({ code, err }).toEqual({ code: 0, err: '' })
  for (const name of ['account.seed', 'operator.seed', 'control-plane.creds', 'system.creds'])
    if (name !== 'operator.seed') expect(out).toContain(path.join(dir, name))
  expect(readFileSync(nats.accountSeedFile, 'utf8')).not.toBe(
    readFileSync(keep(nats.accountSeedFile), 'utf8'),
  )

  await nats.stop()
  nats = await startNats({ dir, port: nats.port })
  const old = connect({
    servers: nats.url,
    authenticator: credsAuthenticator(readFileSync(keep(nats.controlPlaneCredsFile))),
    reconnect: false,
  })
  await expect(old).rejects.toThrow(/Authorization Violation/)
  await expect(world.start({ beside: plane, env: envOf(keep) })).rejects.toThrow(
    /The hosts of this installation use the NATS account/,
  )
  const next = await world.start({ beside: plane, env: envOf((file) => file) })
  const agent = await join(next, 'rack-new')
  onTestFinished(() => agent.stop())
  const seen = async () =>
    (await next.app.core.db.host.findUniqueOrThrow({ where: { id: agent.hostId } })).lastSeenAt
  await eventually(async () => (await seen()) !== null)
})
