/**
 * One run of the UI server, started by `am instrument -w`. The server and its session end with the command's stream. Restarted by
 * `keeper.ts`.
 */
import { DeadlineExceeded, type Progress } from '@phonerack/shared'
import { AdbConnectionLost } from '../adb/errors.js'
import { command, sequence } from '../adb/quote.js'
import { readShellPacket } from '../adb/shell-protocol.js'
import type { AdbSocket } from '../adb/socket.js'
import type { Transport } from '../adb/transport.js'
import { uiServer, uiServerTest } from '../parts/parts.js'
import { redactOutput } from '../base/redact.js'
import { UiServerDown } from './http.js'
import { isReady, openSession, type UiSession } from './session.js'

export interface UiServerRun {
  readonly session: UiSession
  readonly startedAt: number
  /** Resolves with the reason when it ends. */
  readonly ended: Promise<string>
  readonly over: boolean
  close(reason: string): void
}

/** Milliseconds between checks of whether it listens. */
const pollMs = 25
const pollLimitMs = 2000

/** Ends processes left by an earlier agent: only one may own the phone's UiAutomation. */
export const endLeftovers = sequence(
  command('am', 'force-stop', uiServer.package),
  command('am', 'force-stop', uiServerTest.package),
)

/** Keeps Android from suspending it while the phone is idle. */
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

/** Starts it and opens a session. @throws Error with the phone's message, DeviceGone, DeadlineExceeded */
export async function runUiServer(transport: Transport, progress: Progress): Promise<UiServerRun> {
  await transport.shell(sequence(endLeftovers, keepAwake), progress)
  const stream = await transport.spawn(start, progress)
  const output = drain(stream)
  try {
    await untilReady(transport, output, progress)
    const session = await openSession(transport, progress)
    let closedFor: string | null = null
    return {
      session,
      startedAt: performance.now(),
      ended: output.ended.then((reason) => {
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
    if (error instanceof UiServerDown && output.over) throw new Error(await output.ended, { cause: error })
    throw error
  }
}

interface Output {
  readonly ended: Promise<string>
  readonly over: boolean
}

/** Reads the tool's output, so that it never blocks, and detects its end. */
function drain(stream: AdbSocket): Output {
  let last = ''
  let over = false
  const read = async (): Promise<string> => {
    try {
      for (;;) {
        const { id, data } = await readShellPacket(stream)
        if (id === 3) return `the UI server ended: ${redactOutput(last)}`
        last = `${last}${data.toString('utf8')}`.trim().slice(-300)
      }
    } catch (error) {
      if (error instanceof AdbConnectionLost) return 'the connection to the UI server ended'
      throw error
    } finally {
      over = true
    }
  }
  return {
    ended: read(),
    get over() {
      return over
    },
  }
}

async function untilReady(transport: Transport, output: Output, progress: Progress): Promise<void> {
  for (;;) {
    if (output.over) throw new Error(await output.ended)
    try {
      if (await isReady(transport, progress.within(pollLimitMs))) return
    } catch (error) {
      const notYet = error instanceof UiServerDown || (error instanceof DeadlineExceeded && !progress.expired)
      if (!notYet) throw error
    }
    await progress.sleep(pollMs, 'the UI server to start')
  }
}
