// Starts that a delete ends: they count neither against the device nor against its host. Runs with real
// Postgres and broker, and agent doubles.
import { ApiError } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { loneDevice } from '../../testing/lone-device.js'
import { eventually, useWorld, type Plane } from '../../testing/world.js'

const world = useWorld()

let plane: Plane
beforeAll(async () => {
  plane = await world.start()
})

it('does not count starts whose phones have since been deleted', async () => {
  const tenant = await plane.tenant()
  const lone = loneDevice(plane, tenant)
  const { db } = plane.app.core
  await lone.alone(async (agent, device) => {
    // The wipe after the delete aborts the start, as in the real agent.
    let abort = (): void => undefined
    device.onStart = () =>
      new Promise((_, reject) => {
        abort = () => reject(new ApiError('provider_timeout', { message: 'start took too long.' }))
      })
    device.onWipe = () => Promise.resolve(abort())
    for (let round = 0; round < 4; round += 1) {
      const began = agent.log.length
      const { phone } = await lone.create()
      await eventually(() => Promise.resolve(agent.log.slice(began).some((line) => line.startsWith('start'))))
      await plane.app.services.phones.delete(tenant.caller, phone.id)
      await eventually(async () => {
        const jobs = await db.$queryRaw<unknown[]>`select 1 as left from graphile_worker._private_jobs
          where key like ${`phone.start:${phone.id}:%`}`
        return jobs.length === 0
      })
      await lone.untilState(device, 'free')
    }
    expect(await lone.rowOf(device)).toMatchObject({ failedStarts: 0, failedAt: null })
    const host = await db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
    expect(host).toMatchObject({ degradedUntil: null, failingDevices: 0 })
  })
})

it('keeps a host of eight devices in service when its phones are deleted while they start', async () => {
  const tenant = await plane.tenant()
  const lone = loneDevice(plane, tenant)
  const { db } = plane.app.core
  const { phones } = plane.app.services
  await lone.alone(async (agent, device, others) => {
    const all = [device, ...others]
    for (const each of all) {
      let abort = (): void => undefined
      each.onStart = () =>
        new Promise((_, reject) => {
          // A failure that a retry cannot resolve, and a failure that a retry can resolve.
          const code = each === device ? 'provider_timeout' : 'phone_unavailable'
          abort = () => reject(new ApiError(code, { message: 'The start was aborted.' }))
        })
      each.onWipe = () => Promise.resolve(abort())
    }
    for (let round = 0; round < 3; round += 1) {
      const began = agent.log.length
      const made = await Promise.all(all.map(() => lone.create()))
      await eventually(
        () => agent.log.slice(began).filter((line) => line.startsWith('start')).length === all.length,
      )
      await Promise.all(made.map(({ phone }) => phones.delete(tenant.caller, phone.id)))
      for (const each of all) await lone.untilState(each, 'free')
    }
    await eventually(async () => {
      const jobs = await db.$queryRaw<unknown[]>`select 1 as left from graphile_worker._private_jobs
        where key like 'phone.start:%'`
      return jobs.length === 0
    })
    for (const each of all)
      expect(await lone.rowOf(each)).toMatchObject({ failedStarts: 0, failedAt: null, startFailedAt: null })
    const host = await db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
    expect(host).toMatchObject({ degradedUntil: null, failingDevices: 0 })
    for (const each of all) delete each.onStart
    await lone.ready()
  }, 8)
})
