/** Each `next` about steps. */
import { beforeAll, it } from 'vitest'
import { createFollower, type Follower } from '../../testing/next/follow.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { type Plane, type World } from '../../testing/world.js'

export function stepCases(world: () => World, seen: string[]): void {
  let plane: Plane
  let api: Follower
  beforeAll(async () => {
    plane = await world().start()
    await plane.rack(1)
    api = createFollower(plane, await plane.tenant(), seen)
  })

  it('an unknown step, or a phone without steps: the list', async () => {
    const steps = `/v1/phones/${await readyPhone(plane, api.tenant)}/steps`
    for (const path of ['/stp_aaaaaaaaaaaa', '/export'])
      await api.follow((await api.refused(404, 'step_not_found', 'GET', `${steps}${path}`)).next)
  })
}
