/** Follows each `next` about steps. */
import { beforeAll, expect, it } from 'vitest'
import { createFollower, type Follower } from '../../testing/next/follow.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { type Plane } from '../../testing/world.js'

export function stepCases(planeOf: () => Plane, seen: string[]): void {
  let plane: Plane
  let api: Follower
  beforeAll(async () => {
    plane = planeOf()
    await plane.rack(2)
    api = createFollower(plane, await plane.tenant(), seen)
  })

  it('an unknown step, or a phone without steps: the list', async () => {
    const steps = `/v1/phones/${await readyPhone(plane, api.tenant)}/steps`
    for (const path of ['/stp_aaaaaaaaaaaa', '/export'])
      await api.follow((await api.refused(404, 'step_not_found', 'GET', `${steps}${path}`)).next)
  })

  it('a step without a picture: the step', async () => {
    const at = `/v1/phones/${await readyPhone(plane, api.tenant)}`
    await api.done('POST', `${at}/actions`, { actions: [{ type: 'home' }], observe: 'none' })
    const { data } = (await api.done('GET', `${at}/steps`)).json<{ data: { id: string }[] }>()
    const url = `${at}/steps/${data[0]?.id ?? ''}/screenshot`
    const [step] = await api.follow((await api.refused(404, 'step_not_found', 'GET', url)).next)
    expect(step?.json()).toMatchObject({ id: data[0]?.id, picture: null })
  })
}
