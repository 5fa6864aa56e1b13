/**
 * A record on disk of the commands that mention a given word, and of each wipe, in their order: tests of a whole system
 * read from it which tenants touched the phone. It outlives the process. Nothing on the phone shows it.
 */
import { appendFileSync } from 'node:fs'

/** A line of the record, as JSON. */
export type Witnessed =
  | { at: string; what: 'wipe' }
  | { at: string; what: 'command'; argv: readonly string[] }

export class Witness {
  constructor(
    private readonly file: string,
    private readonly word: string,
  ) {}

  /** `argv` as the shell starts it. */
  command(argv: readonly string[]): void {
    if (!argv.some((each) => each.includes(this.word))) return
    this.write({ at: new Date().toISOString(), what: 'command', argv })
  }

  /** All data of the phone's user is gone. */
  wiped(): void {
    this.write({ at: new Date().toISOString(), what: 'wipe' })
  }

  private write(line: Witnessed): void {
    appendFileSync(this.file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  }
}
