/** The video of a phone, for a recording of its tenant. Used by `agent.ts`. */
import { ApiError, type Progress } from '@phonerack/shared'
import type { Registry } from '../phone/registry.js'
import type { Video, Who } from './recordings.js'

/** @throws ApiError phone_unavailable for who does not own it, feature_unavailable */
export function videoOf(registry: Registry, who: Who, progress: Progress): Promise<Video> {
  const phone = registry.phone(who.serial)
  const held = phone.fencing.hold(who)
  return phone.read(who, progress, ({ video }) => {
    if (!video) throw new ApiError('feature_unavailable', { details: { feature: 'recordings' } })
    return Promise.resolve({ capture: video, held })
  })
}
