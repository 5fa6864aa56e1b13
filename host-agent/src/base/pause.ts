/** Waiting between two tries that is cut short, and no error, when whoever waits is to stop. */
import { DeadlineExceeded, Progress } from '@phonerack/shared'

/** Waits `ms` milliseconds, or less when `signal` aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await Progress.for(ms + 1000, signal).sleep(ms)
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error
  }
}
