// Replicas of one database, with one storage and with two.
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { useWorld, type Plane } from '../../testing/world.js'

const world = useWorld()
const storage = (name: string) => ({ PHONERACK_STORAGE_DIR: path.join(world.dir, name) })
const readiness = async ({ server }: Plane) => {
  const answer = await server.inject({ url: '/readyz' })
  return {
    code: answer.statusCode,
    ...answer.json<{ status: string; checks: { storage?: { ok: boolean } } }>(),
  }
}
const filesOf = (name: string) => readdirSync(path.join(world.dir, name, 'files'))

/** Waits for the first check. */
const expectReadiness = (plane: Plane, wanted: object) =>
  expect.poll(() => readiness(plane)).toMatchObject(wanted)

it('says that replicas do not share the storage, and serves', async () => {
  const first = await world.start({ env: storage('one'), pace: 0.01 })
  const second = await world.start({ beside: first, env: storage('one'), pace: 0.01 })
  await expect.poll(() => filesOf('one').length).toBe(2)
  for (const each of [first, second])
    await expectReadiness(each, { code: 200, status: 'ok', checks: { storage: { ok: true } } })

  const apart = await world.start({ beside: first, env: storage('two'), pace: 0.01 })
  const unshared = { code: 200, status: 'degraded', checks: { storage: { ok: false, required: false } } }
  for (const each of [first, second, apart]) await expectReadiness(each, unshared)

  await apart.close()
  expect(filesOf('two')).toEqual([])
  for (const each of [first, second]) await expectReadiness(each, { status: 'ok' })
})

it('writes its file again, and says that the storage does not answer', async () => {
  const plane = await world.start({ env: storage('lost'), pace: 0.01 })
  await expect.poll(() => filesOf('lost').length).toBe(1)
  const folder = path.join(world.dir, 'lost', 'files')
  rmSync(path.join(folder, filesOf('lost')[0] ?? ''))
  await expect.poll(() => filesOf('lost').length).toBe(1)
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'a file in its place')
  await expectReadiness(plane, { code: 200, status: 'degraded', checks: { storage: { ok: false } } })
  rmSync(folder)
  await expectReadiness(plane, { status: 'ok' })
})

it('deletes the file of a replica that was killed', async () => {
  const plane = await world.start({ env: storage('killed'), pace: 0.01 })
  const { db } = plane.app.core
  await expect.poll(() => filesOf('killed').length).toBe(1)
  writeFileSync(path.join(world.dir, 'killed', 'files', 'sto_killed'), 'x')
  await db.replica.create({
    data: { id: 'killed', workerIds: [], beatAt: new Date(), storageProbe: 'sto_killed' },
  })
  await expectReadiness(plane, { status: 'ok' })
  await new Promise((resolve) => setTimeout(resolve, 1000))
  await db.replica.delete({ where: { id: 'killed' } })
  await expect.poll(() => filesOf('killed').length).toBe(1)
  await expectReadiness(plane, { status: 'ok' })
})

it('does not check a storage that is off', async () => {
  const plane = await world.start({ env: { PHONERACK_STORAGE: 'off', ...storage('off') } })
  expect((await readiness(plane)).checks.storage).toBeUndefined()
})
