/**
 * Records on disk the commands that contain a given word, and each wipe, in their order. Tests of a whole
 * system read from the record which tenants used the phone. The record survives the process, and nothing on
 * the phone shows it.
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

  /** @param argv as the shell starts the command */
  command(argv: readonly string[]): void {
    if (!argv.some((each) => each.includes(this.word))) return
    this.write({ at: new Date().toISOString(), what: 'command', argv })
  }

  /** Records that all data of the phone's user is deleted. */
  wiped(): void {
    this.write({ at: new Date().toISOString(), what: 'wipe' })
  }

  private write(line: Witnessed): void {
    appendFileSync(this.file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  }
}
