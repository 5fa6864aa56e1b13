/** One step of the enrolment's probe: the finding for one capability. Used by the probes. */
import { DeadlineExceeded, type Progress } from '@phonerack/shared'
import { isDisconnect } from '../../base/device-gone.js'

export interface FoundCapability {
  name: string
  /** Empty when the phone lacks the capability. */
  implementation: string
  evidence: string
}

/** Milliseconds of one attempt. A phone that hangs gets a second attempt. */
const tryMs = 30_000
const tries = 2
/**
 * A scrcpy server that fails to start looks like a disconnected phone. The next step distinguishes the two.
 */
const needsServer: ReadonlySet<string> = new Set(['input', 'video'])

/** A failure is a finding, unless the phone has disconnected. */
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
      const { message } = error
      if (isDisconnect(error) && !needsServer.has(name)) throw error
      const hung = error instanceof DeadlineExceeded
      if (hung && left > 0 && !progress.expired) continue
      return {
        name,
        implementation: '',
        evidence: hung ? 'the phone did not respond before the timeout' : message.slice(0, 300),
      }
    }
  }
}
