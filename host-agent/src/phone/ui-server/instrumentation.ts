/**
 * One run of the UI server, started by `am instrument -w`. The server and its session end with the command's stream. Restarted by
 * `keeper.ts`.
 */
import { DeadlineExceeded, type Progress } from '@phonerack/shared'
import { describeEnd, drain, type Drained } from '../../adb/drain.js'
import { command, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { uiServer, uiServerTest } from '../../adb/parts/parts.js'
import { redactOutput } from '../../base/redact.js'
import { UiServerDown } from './http.js'
import { isReady, openSession, type UiSession } from './session.js'

export interface UiServerRun {
  readonly session: UiSession
  readonly startedAt: number
  /** Resolves with the reason when the run ends. */
  readonly ended: Promise<string>
  readonly over: boolean
  close(reason: string): void
}

/** Milliseconds between checks whether the server listens. */
const pollMs = 25
const pollLimitMs = 2000

/** Ends processes of an earlier agent, since only one process may own the phone's UiAutomation. */
export const endLeftovers = sequence(
  command('am', 'force-stop', uiServer.package),
  command('am', 'force-stop', uiServerTest.package),
)

/** Keeps Android from suspending the server while the phone is idle. */
const keepAwake = sequence(
  command('dumpsys', 'deviceidle', 'whitelist', `+${uiServer.package}`),
  command('dumpsys', 'deviceidle', 'whitelist', `+${uiServerTest.package}`),
)

const start = command(
  'am',
  'instrument',
  '-w',
  '--no-window-animation',
  '-e',
  'disableAnalytics',
  'true',
  '-e',
  'DISABLE_SUPPRESS_ACCESSIBILITY_SERVICES',
  'true',
  `${uiServerTest.package}/androidx.test.runner.AndroidJUnitRunner`,
)

/**
 * Starts the server and opens a session.
 * @throws Error with the phone's message, DeviceGone, DeadlineExceeded
 */
export async function runUiServer(transport: Transport, progress: Progress): Promise<UiServerRun> {
  await transport.shell(sequence(endLeftovers, keepAwake), progress)
  const stream = await transport.spawn(start, progress)
  let last = ''
  const output = drain(stream, (data) => (last = `${last}${data.toString('utf8')}`.trim().slice(-300)))
  const ended = output.ended.then((end) => describeEnd(end, 'the UI server', redactOutput(last)))
  try {
    await untilReady(transport, output, ended, progress)
    const session = await openSession(transport, progress)
    let closedFor: string | null = null
    return {
      session,
      startedAt: performance.now(),
      ended: ended.then((reason) => {
        session.close()
        return closedFor ?? reason
      }),
      get over() {
        return output.over || closedFor !== null
      },
      close(reason) {
        closedFor ??= reason
        session.close()
        stream.close()
      },
    }
  } catch (error) {
    stream.close()
    if (error instanceof UiServerDown && output.over) throw new Error(await ended, { cause: error })
    throw error
  }
}

async function untilReady(
  transport: Transport,
  output: Drained,
  ended: Promise<string>,
  progress: Progress,
): Promise<void> {
  for (;;) {
    if (output.over) throw new Error(await ended)
    try {
      if (await isReady(transport, progress.within(pollLimitMs))) return
    } catch (error) {
      const notYet = error instanceof UiServerDown || (error instanceof DeadlineExceeded && !progress.expired)
      if (!notYet) throw error
    }
    await progress.sleep(pollMs, 'the start of the UI server')
  }
}
