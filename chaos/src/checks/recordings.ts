/** Checks that every `ready` recording plays: ffprobe decodes the whole video. */
import { probeVideo, recordingsOf } from '@phonerack/e2e/conformance/videos.js'
import { Api } from '@phonerack/e2e/system/api.js'
import type { Knowledge } from '../load/renter.js'
import type { Finding } from './witnesses.js'

export interface Recordings {
  /** The number of recordings by status. */
  statuses: Record<string, number>
  findings: Finding[]
}

export async function judgeRecordings(baseUrl: string, knowledge: Knowledge): Promise<Recordings> {
  const statuses: Record<string, number> = {}
  const findings: Finding[] = []
  for (const { phone, id, key } of knowledge.recordings) {
    const recorded = { api: new Api(baseUrl, key), path: `/v1/phones/${phone}` }
    try {
      const found = (await recordingsOf(recorded)).find((each) => each.id === id)
      const status = found?.status ?? 'gone'
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status === 'ready') await probeVideo(recorded, id)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      findings.push({
        rule: 'a ready recording does not play',
        detail: `${phone} ${id}: ${error.message}`,
        at: Date.now(),
      })
    }
  }
  return { statuses, findings }
}
