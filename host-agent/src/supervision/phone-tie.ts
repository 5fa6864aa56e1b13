/**
 * Ties a device's record to one physical phone: identifies the phone behind the serial,
 * updates the record accordingly, and marks the phone. Used by `link-watch.ts`.
 * docs/decisions/0143
 */
import { ApiError, type Progress } from '@phonerack/shared'
import type { Transport } from '../adb/transport.js'
import { written } from '../custody/custody.js'
import type { Records } from '../custody/records.js'
import { newMark, readTraits, writeMark } from './phone-mark.js'
import { isEnrolled, standingOf, type PhoneLinks, type PhoneTraits, type Standing } from './same-phone.js'

export interface TieParts {
  serial: string
  transport: Transport
  records: Records
  links: PhoneLinks
  /** Called when another serial took the phone. */
  recheck: () => void
}

export class PhoneTie {
  /** As found on this link; null: not yet. */
  standing: Standing | null = null

  constructor(private readonly parts: TieParts) {}

  /** Identifies the phone. The record of a phone that was used elsewhere becomes that of a used device. */
  async check(hardwareSerial: string | null, progress: Progress): Promise<Standing> {
    const { serial, transport, records, links, recheck } = this.parts
    const seen = await readTraits(transport, progress)
    const twin = links.twinsOf(serial, seen)[0] ?? null
    const standing = standingOf(records.get(serial), { ...seen, hardwareSerial }, twin)
    links.set(serial, { ...seen, inUse: standing.may === 'use', recheck })
    this.standing = standing
    if (isEnrolled(records.get(serial), hardwareSerial)) {
      if (standing.may !== 'use') this.distrust(twin !== null)
      else if (this.isBeforeMarks(seen) && this.mayBeTwins()) this.distrust(false)
    }
    return standing
  }

  /** Marks the phone of a record made before marks existed, when only one record can match it. */
  async adopt(progress: Progress): Promise<void> {
    const { serial, records } = this.parts
    const seen = await readTraits(this.parts.transport, progress)
    if (this.standing?.may !== 'use' || !this.isBeforeMarks(seen) || this.mayBeTwins()) return
    const { mark } = await this.mark(progress)
    records.update(serial, { marks: [mark], mayLackMark: false })
  }

  /**
   * Gives the phone a new mark, which the record accepts from now on. `twins`: other
   * serials of the phone that were in use in between; they are identified again.
   */
  async mark(progress: Progress): Promise<{ mark: string; twins: string[] }> {
    const { serial, records, links, recheck } = this.parts
    const transport = this.parts.transport.pinned()
    const before = await readTraits(transport, progress)
    const mark = newMark()
    records.update(serial, { marks: [...records.get(serial).marks, mark] })
    await writeMark(transport, mark, before.marks, progress)
    const seen = await readTraits(transport, progress)
    if (!seen.marks.includes(mark))
      throw new ApiError('provider_error', { message: 'The phone did not store the mark of this host.' })
    const twins = links.twinsOf(serial, seen)
    links.set(serial, { ...seen, inUse: true, recheck })
    links.recheck(twins)
    this.standing = { may: 'use', reason: null }
    return { mark, twins }
  }

  /** Other serials of the phone, as last seen, that are in use now. */
  async twins(progress: Progress): Promise<string[]> {
    const { serial, transport, links } = this.parts
    return links.twinsOf(serial, await readTraits(transport, progress))
  }

  /** An enrolment or a wipe works on the phone. */
  use(): void {
    this.parts.links.use(this.parts.serial)
  }

  /** Another phone may use the serial. */
  leave(): void {
    this.standing = null
    this.parts.links.delete(this.parts.serial)
  }

  private isBeforeMarks({ marks }: PhoneTraits): boolean {
    const record = this.parts.records.get(this.parts.serial)
    return record.marks.length === 0 && record.mayLackMark && marks.length === 0
  }

  /**
   * Another enrolled record may describe the same phone: `ro.serialno` is equal on both
   * links, and not unique on cheap phones.
   */
  private mayBeTwins(): boolean {
    const { serial, records } = this.parts
    const { hardwareSerial } = records.get(serial)
    return records
      .serials()
      .map((other) => records.get(other))
      .some(
        (other) =>
          other.serial !== serial &&
          other.enrolled &&
          (other.hardwareSerial === null ||
            hardwareSerial === null ||
            other.hardwareSerial === hardwareSerial),
      )
  }

  /** `needsMark`: a phone without a mark no longer matches this record. */
  private distrust(needsMark: boolean): void {
    const { serial, records } = this.parts
    const before = records.get(serial)
    const mayLackMark = before.mayLackMark && !needsMark
    if (before.dirty && !before.wiped && before.mayLackMark === mayLackMark) return
    records.update(serial, { ...written(before, Date.now()), wiped: null, mayLackMark })
  }
}
