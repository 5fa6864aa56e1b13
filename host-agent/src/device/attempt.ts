/** One step of the enrolment's probe: what it found of one capability. Used by the probes. */
import { DeadlineExceeded, type Progress } from '@phonerack/shared'
import { DeviceGone } from './device.js'

export interface FoundCapability {
  name: string
  /** Empty when the phone lacks it. */
  implementation: string
  evidence: string
}

/** Milliseconds of one try; a phone that hangs once gets another. */
const tryMs = 30_000
const tries = 2
/** A scrcpy server that does not start looks like a phone that left; what is tried next tells them apart. */
const needsServer: ReadonlySet<string> = new Set(['input', 'video'])

/** What fails is a finding, except when the phone has left. */
export async function attempt(
  name: string,
  implementation: string,
  progress: Progress,
  prove: (progress: Progress) => Promise<string>,
  limitMs: number = tryMs,
): Promise<FoundCapability> {
  for (let left = tries - 1; ; left -= 1) {
    const within = progress.within(limitMs)
    try {
      return { name, implementation, evidence: await within.race(name, () => prove(within)) }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      if (error instanceof DeviceGone && !needsServer.has(name)) throw error
      const hung = error instanceof DeadlineExceeded
      if (hung && left > 0 && !progress.expired) continue
      return {
        name,
        implementation: '',
        evidence: hung ? 'no response before the timeout' : error.message.slice(0, 300),
      }
    }
  }
}
