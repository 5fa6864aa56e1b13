/** Pictures without a step, in the real file store and with the real jobs. */
import { newId } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { inTransaction } from '../../base/db/database.js'
import { addFileDelete } from '../../files/storage/deletions.js'
import { eventually, useWorld, type Plane } from '../../testing/world.js'
import { pack } from './pack.js'
import { createPictures, decodePicture } from './pictures.js'

const world = useWorld()
let plane: Plane
beforeAll(async () => {
  plane = await world.start()
})

const store = () => plane.app.uploads.store
const picture = decodePicture({
  format: 'jpeg',
  width: 1,
  height: 1,
  scale: 1,
  data: Buffer.from('a picture').toString('base64'),
})
/** A busy machine may be too slow to store a picture, which is then not kept. */
async function keep(): Promise<string> {
  let storageId = ''
  await eventually(async () => {
    storageId = (await createPictures(plane.app.core, store()).keep(picture))?.storageId ?? ''
    return storageId !== ''
  })
  return storageId
}
const jobs = (storageId: string) =>
  plane.app.core.db.$queryRaw<{ minutes: number }[]>`
    select (extract(epoch from run_at - now()) / 60)::float8 as minutes from graphile_worker.jobs
    where key = ${`file.delete:${storageId}`}`
/** Runs the job of the picture now. */
async function runJob(storageId: string): Promise<void> {
  await inTransaction(plane.app.core.db, (tx) => addFileDelete(tx, storageId))
  await eventually(async () => (await jobs(storageId)).length === 0)
}

it('deletes a picture that no step names after an hour', async () => {
  const storageId = await keep()
  expect(await store().has(storageId)).toBe(true)
  const [job, ...more] = await jobs(storageId)
  expect(more).toEqual([])
  expect(job?.minutes).toBeGreaterThan(50)
  expect(job?.minutes).toBeLessThan(70)
  await runJob(storageId)
  expect(await store().has(storageId)).toBe(false)
})

it('keeps a picture that a step names', async () => {
  const storageId = await keep()
  const now = plane.app.core.clock.now()
  await plane.app.core.db.step.create({
    data: {
      id: newId('step'),
      projectId: newId('project'),
      phoneId: newId('phone'),
      sessionId: newId('session'),
      requestId: newId('request'),
      keyId: newId('key'),
      via: 'api',
      status: 'succeeded',
      startedAt: now,
      endedAt: now,
      textKept: false,
      bytes: 1,
      request: new Uint8Array(pack('{"actions":[],"observe":"both"}')),
      pictureId: storageId,
      picture: { format: 'jpeg', width: 1, height: 1, scale: 1, size_bytes: 9 },
    },
  })
  await runJob(storageId)
  expect(await store().has(storageId)).toBe(true)
})
