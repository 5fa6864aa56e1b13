/**
 * Counts the commands that reached the phone, so that a test can prove that no command was sent twice.
 * Commands count when they start, for any outcome. Read by `phone.counters()` and the fault port; no command
 * of the phone shows the counts.
 */
import type { Witness } from './witness.js'

export interface Counts {
  /** Sync `SEND`s by path. */
  pushes: Record<string, number>
  /**
   * Shell commands by name, for some commands with their subcommand: `pm install-commit`, `settings put
   * global x`.
   */
  commands: Record<string, number>
  /** Requests to the UI server other than reads: `POST /session/:sessionId/element/:elementId/value`. */
  uiServer: Record<string, number>
  /** Package installations that were committed, by any command. */
  installs: number
  uninstalls: number
  /** Fingers put down, by any client. */
  touches: number
  /** Keys pressed, by any client. */
  keys: number
  scrolls: number
  /** Texts typed into a field by `input text` or scrcpy. Texts of the UI server are in `uiServer`. */
  texts: number
  clipboardSets: number
  pastes: number
  reboots: number
  /** Accepted `cmd testharness enable` commands. */
  wipes: number
  /** Milliseconds that the UI server has spent on page sources, which is the phone's share of a read. */
  treeMs: number
  /** Streams of adb that were accepted and never answered (`hangEvery`). */
  hung: number
}

type Single = { [Name in keyof Counts]: Counts[Name] extends number ? Name : never }[keyof Counts]
type Many = Exclude<keyof Counts, Single>

/** The number of words after a command's name that form its subcommand. */
const spokenWords: Readonly<Record<string, number>> = {
  am: 1,
  appops: 1,
  cmd: 2,
  content: 1,
  dumpsys: 1,
  ime: 1,
  input: 1,
  locksettings: 1,
  pm: 1,
  settings: 3,
  svc: 2,
  wm: 1,
}

/** The limit, since a phone that runs for months has seen many paths. */
const maxNames = 20_000
const othersName = '(others)'

export class Counters {
  /** @param witness also gets each command */
  constructor(private readonly witness: Witness | null = null) {}

  private readonly singles = new Map<Single, number>()
  private readonly tables = new Map<Many, Map<string, number>>()

  count(what: Single, by = 1): void {
    this.singles.set(what, (this.singles.get(what) ?? 0) + by)
  }

  countIn(table: Many, name: string): void {
    const counts = this.tables.get(table) ?? new Map<string, number>()
    this.tables.set(table, counts)
    const known = counts.has(name) || counts.size < maxNames ? name : othersName
    counts.set(known, (counts.get(known) ?? 0) + 1)
  }

  /** @param argv as the shell starts the command */
  command(argv: readonly string[]): void {
    this.witness?.command(argv)
    const [name = ''] = argv
    const words = Object.hasOwn(spokenWords, name) ? (spokenWords[name] ?? 0) : 0
    this.countIn('commands', argv.slice(0, 1 + words).join(' '))
  }

  counts(): Counts {
    const single = (name: Single) => this.singles.get(name) ?? 0
    const table = (name: Many) => Object.fromEntries(this.tables.get(name) ?? [])
    return {
      pushes: table('pushes'),
      commands: table('commands'),
      uiServer: table('uiServer'),
      installs: single('installs'),
      uninstalls: single('uninstalls'),
      touches: single('touches'),
      keys: single('keys'),
      scrolls: single('scrolls'),
      texts: single('texts'),
      clipboardSets: single('clipboardSets'),
      pastes: single('pastes'),
      reboots: single('reboots'),
      wipes: single('wipes'),
      treeMs: single('treeMs'),
      hung: single('hung'),
    }
  }
}
