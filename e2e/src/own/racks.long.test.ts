/**
 * An installation on several machines, set up and operated by the commands of docs/operations.md: packages,
 * two control planes behind a TLS proxy, Postgres and NATS with TLS on another machine, and two racks.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { commandsBelow, inGuide } from '../system/machines/guide.js'
import { installRack } from '../system/machines/install.js'
import { addresses, type Host, type Rack } from '../system/machines/rack.js'

let rack: Rack
let end = () => Promise.resolve()
beforeAll(async () => {
  rack = await installRack()
  end = () => rack.end()
})
afterAll(() => end())

const replicas = ['control-1', 'control-2'] as const
const phoneSchema = z.looseObject({ id: z.string(), status: z.string() })
const hostOf = (hosts: readonly Host[], name: string): Host | undefined =>
  hosts.find((host) => host.name === name)

it('serves from packages while a replica is killed, keys and certificates are replaced, hosts and phones change, and a backup is restored', async () => {
  const tenant = await rack.newTenant()
  for (const name of replicas) {
    const of = `http://${addresses[name]}`
    await rack.until(`${name} shares the storage`, async () =>
      (await rack.on(name, `curl --silent --fail ${of}:8080/readyz`)).includes('"status":"ok"'),
    )
    expect(await rack.on(name, `curl --silent --fail ${of}:9464/metrics`)).toContain(
      'phonerack_health_check{check="storage"} 1',
    )
  }

  const create = async () => {
    const { id } = phoneSchema.parse((await tenant.post('/v1/phones', { wait: false }, 202)).body)
    const ready = await tenant.get(`/v1/phones/${id}?wait=ready&timeout=55`, 200)
    expect(ready.body).toMatchObject({ id, status: 'ready' })
    return { id }
  }

  // The certificate is valid for a year and is due for renewal in the last third of it.
  await rack.query(
    `update hosts set certificate_expires_at = now() + interval '20 days' where name = 'rack-2'`,
  )

  const first = await create()
  const home = await rack.hostOfPhone(first.id)
  const other = home === 'rack-1' ? 'rack-2' : 'rack-1'
  const settings = { actions: [{ type: 'open_app', package: 'com.android.settings' }], observe: 'text' }
  await tenant.post(`/v1/phones/${first.id}/actions`, settings, 200)

  // A replica is killed: each request succeeds, even the first, and the live view continues on the other
  // replica.
  const link = await tenant.post(`/v1/phones/${first.id}/live`, {}, 201)
  const views = await rack.watch(z.looseObject({ url: z.string() }).parse(link.body).url)
  const count = (what: string) => views().filter((each) => each === what).length
  await rack.until('both live views show the phone', () => Promise.resolve(count('video') === 2))
  await rack.on('control-1', 'systemctl kill phonerack-control-plane')
  for (let count = 0; count < 4; count += 1) {
    const { body } = await tenant.get(`/v1/phones/${first.id}/observe`, 200)
    expect(JSON.stringify(body)).toContain('com.android.settings')
  }
  const isBack = () => count('again') > 0 && count('video') === 2 + count('again')
  await rack.until('the live view shows the phone again', () => Promise.resolve(isBack()))

  // A host is drained: its phone continues, new phones are created on the other host, and the host can be
  // stopped.
  await rack.ctl('host drain', `host drain ${home} --deadline 1h`)
  const second = await create()
  expect(await rack.hostOfPhone(second.id)).toBe(other)
  await tenant.get(`/v1/phones/${first.id}/observe`, 200)
  await tenant.post(`/v1/phones/${first.id}/park`, {}, 200)
  const refused = await tenant.post(`/v1/phones/${first.id}/start`, {}, 503)
  expect(refused.body).toMatchObject({ error: { code: 'phone_unavailable' } })
  await rack.until('no phone runs', async () => hostOf(await rack.hosts(), home)?.running === 0)
  await rack.on(home, 'systemctl stop phonerack-agent')
  await rack.on(home, 'systemctl start phonerack-agent')
  await rack.until('the host is online', async () => hostOf(await rack.hosts(), home)?.state === 'online')
  await rack.ctl('host undrain', `host undrain ${home}`)
  await tenant.until(`/v1/phones/${first.id}/start`, 200)
  await tenant.get(`/v1/phones/${first.id}/observe`, 200)

  // The certificate of NATS is renewed by the command, and a host's certificate automatically.
  const before = await rack.brokerCertificate()
  await rack.renewBroker()
  expect(await rack.brokerCertificate()).not.toBe(before)
  await rack.until('the certificate of the host is renewed', async () => {
    const ends = hostOf(await rack.hosts(), 'rack-2')?.certificate_expires_at
    return ends !== undefined && Date.parse(ends) > Date.now() + 300 * 86_400_000
  })
  for (const { id } of [first, second]) await tenant.until(`/v1/phones/${id}/observe`, 200, 'GET')

  // All keys of the control planes are replaced, and the killed replica starts again. Hosts do not notice
  // that.
  await rack.on('control-1', inGuide('rotate-service-key', 'phonerack-control-plane rotate-service-key'))
  const rotation = 'phonerack-control-plane nats-config --dir /etc/phonerack/nats-server --rotate'
  await rack.on('control-1', inGuide('--rotate', rotation))
  await rack.on('control-1', commandsBelow('After a rotation, with the packages')[0] ?? '')
  for (const name of replicas) await rack.ready(name)
  for (const { id } of [first, second]) await tenant.until(`/v1/phones/${id}/observe`, 200, 'GET')

  // A phone with its tenant's data is carried to the other host, and the tenant starts it there.
  await tenant.putText(`/v1/phones/${first.id}/files?path=/sdcard/note.txt`, 'kept', 201)
  await tenant.post(`/v1/phones/${first.id}/park`, {}, 200)
  const ofTenant = /because 1 phone is on this host/
  await expect(rack.ctl('host retire', `host retire ${home}`)).rejects.toThrow(ofTenant)
  await rack.carryPhone(home, other)
  await rack.until(`the phone is on ${other}`, async () => (await rack.hostOfPhone(first.id)) === other)
  await tenant.until(`/v1/phones/${first.id}/start`, 200)
  const note = await tenant.get(`/v1/phones/${first.id}/files/content?path=/sdcard/note.txt`, 200)
  expect(note.body).toBe('kept')

  // The empty host is retired: neither its certificate nor its NATS user works any longer.
  const retired = hostOf(await rack.hosts(), home)?.id ?? ''
  await rack.ctl('host retire', `host retire ${home}`)
  expect((await rack.hosts()).map(({ name }) => name)).toEqual([other])
  await rack.until('the broker refuses the host', () => rack.brokerRefuses(retired))
  for (const { id } of [first, second]) await tenant.get(`/v1/phones/${id}/observe`, 200)

  // A backup is restored into another database, which the replicas then use.
  const [, writeBackup = ''] = commandsBelow('Backup')
  const backup = (await rack.on('control-1', writeBackup)).split('\n').find((line) => line.startsWith('/'))
  const [, createDatabase = '', restore = '', useDatabase = ''] = commandsBelow('Restore')
  for (const name of replicas) await rack.on(name, 'systemctl stop phonerack-control-plane')
  await rack.on('data', createDatabase)
  await rack.on('control-1', restore.replace(/\S*\/phonerack-\d\S+/, backup ?? ''))
  for (const name of replicas) await rack.on(name, useDatabase)
  for (const name of replicas) await rack.ready(name)
  await rack.on('data', 'sudo -u postgres dropdb phonerack')
  for (const { id } of [first, second]) await tenant.until(`/v1/phones/${id}/observe`, 200, 'GET')
})
