/** One step of the enrolment's probe: what it found of one capability. Used by the probes. */
import { DeadlineExceeded } from '@phonerack/shared'
import { DeviceGone } from './device.js'

export interface FoundCapability {
  name: string
  /** Empty when the phone lacks it. */
  implementation: string
  evidence: string
}

/** What fails is a finding, except when the phone has left or the time is over. */
export async function attempt(
  name: string,
  implementation: string,
  prove: () => Promise<string>,
): Promise<FoundCapability> {
  try {
    return { name, implementation, evidence: await prove() }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (error instanceof DeviceGone && name !== 'input') throw error
    return {
      name,
      implementation: '',
      evidence: error instanceof DeadlineExceeded ? 'no answer in time' : error.message.slice(0, 300),
    }
  }
}
