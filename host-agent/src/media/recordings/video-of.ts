/** The video of a phone, for a recording of its tenant. Used by `agent.ts`. */
import { ApiError, type Progress } from '@phonerack/shared'
import type { Registry } from '../../devices/registry.js'
import type { Video, DeviceCaller } from './recordings.js'

/** @throws ApiError phone_unavailable when the phone is not assigned to the caller, feature_unavailable */
export function videoOf(registry: Registry, caller: DeviceCaller, progress: Progress): Promise<Video> {
  const gate = registry.gate(caller.serial)
  const held = gate.fencing.hold(caller)
  return gate.read(caller, progress, ({ video }) => {
    if (!video) throw new ApiError('feature_unavailable', { details: { feature: 'recordings' } })
    return Promise.resolve({ capture: video, held })
  })
}
