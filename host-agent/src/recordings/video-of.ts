/** The video of a phone, for a recording of its tenant. Used by `agent.ts`. */
import { ApiError, type Progress } from '@phonerack/shared'
import type { Registry } from '../devices/registry.js'
import type { Video, DeviceCaller } from './recordings.js'

/** @throws ApiError phone_unavailable for a caller that does not own it, feature_unavailable */
export function videoOf(registry: Registry, who: DeviceCaller, progress: Progress): Promise<Video> {
  const gate = registry.gate(who.serial)
  const held = gate.fencing.hold(who)
  return gate.read(who, progress, ({ video }) => {
    if (!video) throw new ApiError('feature_unavailable', { details: { feature: 'recordings' } })
    return Promise.resolve({ capture: video, held })
  })
}
