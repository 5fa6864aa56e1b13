/**
 * The durations of a phone's answers: minimum and maximum in milliseconds, as measured on phones. `--pace
 * instant` adds no delay. Used by `phone.ts`.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type CommandRun, type CommandTable } from '../shell/command.js'

/** `instant` adds no delay; the other paces imitate a phone and differ in the time that it takes to read the tree. */
export const PACES = ['instant', 'fast', 'real', 'slow'] as const
export type Pace = (typeof PACES)[number]

const byPace = <T>(instant: T, real: T): Readonly<Record<Pace, T>> => ({
  instant,
  fast: real,
  real,
  slow: real,
})

export type Span = readonly [leastMs: number, mostMs: number]

/** Durations by command; commands that are not listed are not delayed. */
const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Span>> = {
  // Each of these commands starts a Java VM; `input` also waits until the event was delivered.
  input: () => [230, 330],
  uiautomator: (args) => (args[0] === 'dump' ? [2050, 2150] : [300, 400]),
  screencap: () => [300, 700],
}

/**
 * From the request to restart until adbd listens again. The remainder of the 40 s passes before the host is
 * disconnected.
 */
export const BOOT_MS = byPace(300, 39_000)
/** Time to send the response to the host that requested the restart. */
export const RESTART_DELAY_MS = byPace(50, 1000)
/** From a touch message until the app gets the touch. */
export const SCRCPY_INPUT_MS = byPace(0, 6)
/** From `app_process` until scrcpy's server runs: the start of a Java VM. */
export const SCRCPY_START_SPAN = byPace<Span>([0, 0], [300, 500])
/**
 * The UI server's `GET …/source`. `fast` is a healthy phone, `real` a slow phone, and `slow` an old phone, or
 * a phone that has just opened an app.
 */
export const UI_TREE_SPAN: Readonly<Record<Pace, Span>> = {
  ...byPace<Span>([0, 0], [800, 1000]),
  fast: [400, 600],
  slow: [1600, 2000],
}

export const within = ([least, most]: Span, random: () => number): number => least + (most - least) * random()

/** Returns the minimum duration of this command; null when the command is not delayed. */
export function commandSpan(name: string, args: readonly string[]): Span | null {
  const span = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  return span ? span(args) : null
}

function paced(name: string, run: CommandRun, random: () => number): CommandRun {
  return async (io) => {
    const span = commandSpan(name, io.args)
    if (span === null) return run(io)
    const endAt = performance.now() + within(span, random)
    const code = await run(io)
    await delay(Math.max(0, endAt - performance.now()), undefined, { signal: io.signal }).catch(
      (error: unknown) => {
        if (!io.signal.aborted) throw error
      },
    )
    return code
  }
}

/** Returns the same commands, each delayed by its duration on a phone. */
export function paceCommands(
  table: CommandTable,
  pace: Pace,
  random: () => number = Math.random,
): CommandTable {
  if (pace === 'instant') return table
  return Object.fromEntries(
    Object.entries(table).map(([name, run]) => [
      name,
      Object.hasOwn(COMMANDS, name) ? paced(name, run, random) : run,
    ]),
  )
}
