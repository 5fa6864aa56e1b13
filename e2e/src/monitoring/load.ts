/** Uses each part of a system whose figures the dashboard and the alert rules show, once. */
import { Phonerack } from '@phonerack/sdk'
import { makeApk, newSigner, type Signer } from '@phonerack/virtual-phone/apk-builder'
import { startRecording, untilReady } from '../conformance/videos.js'
import { type Answer } from '../system/api.js'
import { openLive } from '../system/live-socket.js'
import { newKey, newTenant, readyPhone, startAgain } from '../system/tenant.js'
import { type System } from '../system/system.js'

export interface Load {
  /** Rents every phone of the system, uses one phone, and deletes all. */
  round(): Promise<void>
}

/** @param phones number of phones of the system */
export async function startLoad(system: System, phones: number): Promise<Load> {
  const { admin: api, projectId } = await newTenant(system)
  const client = new Phonerack({
    baseUrl: system.up.base_url,
    apiKey: await newKey(system, projectId, 'admin'),
  })
  const signer: Signer = await newSigner('monitoring')
  const rented: string[] = []

  const use = async (path: string): Promise<void> => {
    const phone = { api, path }
    const live = await openLive(phone)
    await live.above(0)
    const { id } = await startRecording(phone)
    const actions = [{ type: 'home' }, { type: 'open_app', package: 'com.phonerack.notes' }]
    must(await api.post(`${path}/actions`, { actions, observe: 'both' }))
    must(await api.get(`${path}/observe`))
    must(await api.get(`${path}/screenshot`))
    live.close()
    must(await api.post(`${path}/recordings/${id}/stop`))
    await untilReady(phone, id)
  }

  return {
    async round() {
      for (let each = 0; each < phones; each += 1) rented.push((await readyPhone(api)).id)
      const [first = ''] = rented
      const path = `/v1/phones/${first}`
      // Causes a refused request, an error response 5xx, and a failed call to the host.
      must(await api.get('/v1/phones/ph_aaaaaaaaaaaa'), 404)
      must(await api.post('/v1/phones', {}), 503)
      must(await api.get(`${path}/files/content?path=/sdcard/none`), 404)
      await use(path)
      const phone = await client.phones.get(first)
      await phone.install(makeApk({ package: 'org.example.shop', versionCode: 1 }, signer))
      must(await api.post(`${path}/park`))
      await startAgain(api, first)
      for (const id of rented.splice(0)) must(await api.delete(`/v1/phones/${id}`))
    },
  }
}

function must(answer: Answer, status = 200): void {
  const isRight = status === 200 ? answer.status < 300 : answer.status === status
  if (!isRight) throw new Error(`${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`)
}
