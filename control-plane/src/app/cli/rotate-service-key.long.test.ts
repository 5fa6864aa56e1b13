// The service key is replaced while replicas run, and only the new key decrypts the authority afterwards.
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { createLogger } from '@phonerack/shared'
import pg from 'pg'
import { expect, it } from 'vitest'
import { commandActor } from '../../base/db/audit-log.js'
import { rotateServiceKey } from '../../base/db/rotate-service-key.js'
import { openWebhookKey, sealWebhookKey } from '../../base/db/webhook-key.js'
import { ServiceKey } from '../../base/pki/service-key.js'
import { countLockWaits } from '../../testing/lock-waits.js'
import { eventually, useWorld, type Plane } from '../../testing/world.js'
import { runCommand } from './commands.js'

const world = useWorld()

const lines: string[] = []
const log = createLogger('rotate-service-key-test', { write: (line: string) => void lines.push(line) })

async function rotate(plane: Plane, ...words: string[]) {
  let [out, err] = ['', '']
  const code = await runCommand(
    ['rotate-service-key', ...words],
    { write: (text) => (out += text) },
    { write: (text) => (err += text) },
    { DATABASE_URL: plane.config.databaseUrl, PHONERACK_PKI_DIR: plane.config.pkiDir },
  )
  return { code, out, err }
}

it('replaces the key while a replica runs, and refuses a replica with the earlier one', async () => {
  const plane = await world.start()
  const { serviceKeyFile: file, pkiDir } = plane.config
  const earlier = path.join(world.dir, 'earlier')
  mkdirSync(earlier)
  copyFileSync(file, path.join(earlier, 'service.key'))
  const before = readFileSync(file, 'utf8')
  // The control plane has no rights of root.
  const owner = process.getuid?.() === 0 ? 4321 : statSync(file).uid
  chownSync(file, owner, -1)
  const { db } = plane.app.core
  const sealed = (await openWebhookKey(db, { serviceKeyFile: file }, log)).seal(
    Buffer.from('secret'),
    'a webhook',
  )

  expect(await rotate(plane)).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining(file) as string,
  })
  expect(readFileSync(file, 'utf8')).not.toBe(before)
  expect([statSync(file).mode & 0o777, statSync(file).uid]).toEqual([0o600, owner])
  const kept = readdirSync(pkiDir).find((name) => /^service\.key\.[0-9a-f]{16}$/.test(name))
  expect(readFileSync(path.join(pkiDir, kept ?? ''), 'utf8')).toBe(before)
  // Secrets of webhooks stay as they are.
  const ofWebhooks = await openWebhookKey(db, { serviceKeyFile: file }, log)
  expect(ofWebhooks.open(sealed, 'a webhook').toString()).toBe('secret')
  // The running replica still signs.
  const agent = await plane.agent('rack')
  const second = await world.start({ beside: plane })
  expect(second.app.authority.fingerprint).toBe(plane.app.authority.fingerprint)
  expect(await second.app.core.db.host.count({ where: { id: agent.hostId } })).toBe(1)
  await expect(world.start({ beside: plane, env: { PHONERACK_PKI_DIR: earlier } })).rejects.toThrow(
    /is another key .*Copy `service.key` of a running replica/s,
  )
})

it('finishes an interrupted rotation, and changes nothing with a wrong key', async () => {
  const plane = await world.start()
  const { serviceKeyFile: file } = plane.config
  const { db } = plane.app.core
  // The rotation is interrupted after it changed the database.
  const { to } = await rotateServiceKey(
    db,
    { serviceKeyFile: file, nextFile: `${file}.next` },
    commandActor('rotate-service-key', new Date()),
  )
  const earlierKey = readFileSync(file, 'utf8')
  expect((await rotate(plane)).out).toContain(to)
  const kept = readdirSync(plane.config.pkiDir).find((name) => /^service\.key\.[0-9a-f]{16}$/.test(name))
  expect(readFileSync(path.join(plane.config.pkiDir, kept ?? ''), 'utf8')).toBe(earlierKey)
  expect(existsSync(`${file}.next`)).toBe(false)
  await world.start({ beside: plane })

  const out = path.join(world.dir, 'out.key')
  const current = readFileSync(file, 'utf8')
  expect(await rotate(plane, '--out', out)).toMatchObject({ code: 0, err: '' })
  expect(readFileSync(file, 'utf8')).toBe(current)
  const row = await db.installation.findUniqueOrThrow({ where: { id: 1 } })
  // `file` is now the earlier key.
  const refused = await rotate(plane)
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/is another key/)])
  expect(await db.installation.findUniqueOrThrow({ where: { id: 1 } })).toEqual(row)
  writeFileSync(file, readFileSync(out))
  await world.start({ beside: plane })
})

it('starts with a new key of webhooks when a release without webhooks rotated the service key', async () => {
  const plane = await world.start()
  const { db } = plane.app.core
  const { serviceKeyFile } = plane.config
  const another = ServiceKey.of(randomBytes(32))
  await db.installation.update({
    where: { id: 1 },
    data: { webhookKey: sealWebhookKey(randomBytes(32), another) },
  })
  // A rotation does not change a key that it cannot decrypt.
  expect(await rotate(plane)).toMatchObject({ code: 0, err: '' })
  lines.length = 0
  const second = await world.start({ beside: plane, log })
  expect(lines.filter((line) => line.includes('key of webhooks, so it was replaced'))).toHaveLength(1)
  // All later starts have the same key.
  const sealed = (await openWebhookKey(db, { serviceKeyFile }, log)).seal(Buffer.from('secret'), 'a webhook')
  const again = await openWebhookKey(second.app.core.db, { serviceKeyFile }, log)
  expect(again.open(sealed, 'a webhook').toString()).toBe('secret')
  expect(lines.filter((line) => line.includes('so it was replaced'))).toHaveLength(1)
})

it('rotates nothing when a first start stores the key of webhooks at the same time', async () => {
  const plane = await world.start()
  const { db } = plane.app.core
  const { serviceKeyFile: file } = plane.config
  await db.installation.update({ where: { id: 1 }, data: { webhookKey: null } })
  const { serviceKeyId } = await db.installation.findUniqueOrThrow({ where: { id: 1 } })
  const start = new pg.Client({ connectionString: plane.config.databaseUrl })
  await start.connect()
  await start.query('begin')
  const serviceKey = await ServiceKey.read(file)
  if (!serviceKey) throw new Error('there is no service key')
  await start.query('update installation set webhook_key = $1 where id = 1', [
    sealWebhookKey(randomBytes(32), serviceKey),
  ])
  const rotation = rotate(plane)
  // The rotation has read the row, and waits for it.
  await eventually(async () => (await countLockWaits(start)) > 0)
  await start.query('commit')
  await start.end()
  expect(await rotation).toMatchObject({ code: 1, err: expect.stringMatching(/at the same time/) as string })
  expect(await db.installation.findUniqueOrThrow({ where: { id: 1 } })).toMatchObject({ serviceKeyId })
  expect(await rotate(plane)).toMatchObject({ code: 0, err: '' })
  lines.length = 0
  await openWebhookKey(db, { serviceKeyFile: file }, log)
  expect(lines).toEqual([])
})

it('stores no key of webhooks under a service key that a rotation has replaced', async () => {
  const plane = await world.start()
  const { db } = plane.app.core
  const { serviceKeyFile, pkiDir } = plane.config
  const earlier = path.join(pkiDir, 'earlier.key')
  copyFileSync(serviceKeyFile, earlier)
  expect(await rotate(plane)).toMatchObject({ code: 0, err: '' })
  const { webhookKey } = await db.installation.findUniqueOrThrow({ where: { id: 1 } })
  const refused = expect(openWebhookKey(db, { serviceKeyFile: earlier }, log)).rejects
  await refused.toThrow(/Start again/)
  expect((await db.installation.findUniqueOrThrow({ where: { id: 1 } })).webhookKey).toEqual(webhookKey)
  await db.installation.update({ where: { id: 1 }, data: { webhookKey: null } })
  await expect(openWebhookKey(db, { serviceKeyFile: earlier }, log)).rejects.toThrow(/Start again/)
  expect((await db.installation.findUniqueOrThrow({ where: { id: 1 } })).webhookKey).toBeNull()
})

it.each([
  [['--nonsense'], /--nonsense/],
  [['--out', ''], /--out is empty/],
])('refuses %j', async (words, why) => {
  let err = ''
  const write = (text: string) => (err += text)
  const code = await runCommand(['rotate-service-key', ...words], { write }, { write }, {})
  expect([code, err]).toEqual([2, expect.stringMatching(why)])
})
