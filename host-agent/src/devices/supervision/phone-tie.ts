/**
 * Ties a device's record to one physical phone by a mark on the phone: compares the phone of the serial with the record, and
 * writes marks. Used by `link-watch.ts`. docs/decisions/0143
 */
import { ApiError, identityOf, newSeed, type Progress } from '@phonerack/shared'
import type { Transport } from '../../adb/transport.js'
import { written } from '../../custody/custody.js'
import type { Records } from '../../custody/records.js'
import { readSeed, writeSeed } from './phone-identity.js'
import { newMark, readTraits, writeMark } from './phone-mark.js'
import { isEnrolled, standingOf, type PhoneLinks, type PhoneTraits, type Standing } from './same-phone.js'

interface TieParts {
  serial: string
  transport: Transport
  records: Records
  links: PhoneLinks
  /** Called when another serial starts to use the phone: identifies the phone of this serial again. */
  recheck: () => void
}

export class PhoneTie {
  /** The result of the last check on this link; null before the first check. */
  standing: Standing | null = null
  /** Whether the last check found that another serial of the phone is in use. */
  private hasTwin = false

  constructor(private readonly parts: TieParts) {}

  /** Compares the phone with the record. Marks the record as dirty when the phone may have been used under another serial. */
  async check(hardwareSerial: string | null, progress: Progress): Promise<Standing> {
    const { serial, transport, records, links, recheck } = this.parts
    const seen = await readTraits(transport, progress)
    const twin = links.twinsOf(serial, seen)[0] ?? null
    this.hasTwin = twin !== null
    const standing = standingOf(records.get(serial), { ...seen, hardwareSerial }, twin)
    links.set(serial, { ...seen, inUse: standing.may === 'use', recheck })
    this.standing = standing
    if (isEnrolled(records.get(serial), hardwareSerial)) {
      if (standing.may !== 'use') this.distrust(twin !== null)
      else if (this.isBeforeMarks(seen) && this.mayBeTwins()) this.distrust(false)
    }
    return standing
  }

  /** Marks a phone that was enrolled before marks existed, if only one record can match it. */
  async adopt(progress: Progress): Promise<void> {
    const { serial, records } = this.parts
    const seen = await readTraits(this.parts.transport, progress)
    if (this.standing?.may !== 'use' || !this.isBeforeMarks(seen) || this.mayBeTwins()) return
    const { mark } = await this.mark(progress)
    records.update(serial, { marks: [mark], mayLackMark: false })
  }

  /**
   * Writes a new mark to the phone and the record.
   * @param twins other serials of the phone that are in use, whose phones are identified again
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

  /**
   * Restores the mark of the record, and removes other marks, if a command on the phone changed them.
   * `bootId`: the boot in which the record's phone was known. After another boot, the phone may be a
   * different phone.
   */
  async restoreMark(transport: Transport, bootId: string, progress: Progress): Promise<void> {
    const mark = this.parts.records.get(this.parts.serial).marks.at(-1)
    const seen = await readTraits(transport, progress)
    const isKept = mark === undefined || (seen.marks.length === 1 && seen.marks[0] === mark)
    if (!isKept && seen.bootId === bootId) await writeMark(transport, mark, seen.marks, progress)
  }

  /** Returns the private key of the phone's identity; null when the phone has no identity. */
  readSeed(progress: Progress): Promise<string | null> {
    return readSeed(this.parts.transport, progress)
  }

  /**
   * Returns the public key of the phone's identity; null when the phone has no identity, or is in use under another
   * serial of this host.
   */
  async readIdentity(progress: Progress): Promise<string | null> {
    const seed = this.hasTwin ? null : await this.readSeed(progress)
    return seed === null ? null : identityOf(seed)
  }

  /**
   * Gives the phone a new identity, and returns its public key. The record names the key before the phone has it, so that a
   * repeat after a crash recognises the phone. @param replaced as in the record
   */
  async renewIdentity(fencingNumber: bigint, progress: Progress, replaced = ''): Promise<string> {
    const { serial, records, transport } = this.parts
    const seed = newSeed()
    const key = identityOf(seed)
    records.update(serial, { identity: { key, fencingNumber: fencingNumber.toString(), replaced } })
    await writeSeed(transport.pinned(), seed, progress)
    return key
  }

  /** Returns the other serials of the same phone that are in use. */
  async twins(progress: Progress): Promise<string[]> {
    const { serial, transport, links } = this.parts
    return links.twinsOf(serial, await readTraits(transport, progress))
  }

  /** Must be called when an enrolment or a wipe starts: the phone is in use under this serial. */
  use(): void {
    this.parts.links.use(this.parts.serial)
  }

  /** Must be called when the phone disconnects: another phone may get the serial. */
  leave(): void {
    this.standing = null
    this.hasTwin = false
    this.parts.links.delete(this.parts.serial)
  }

  private isBeforeMarks({ marks }: PhoneTraits): boolean {
    const record = this.parts.records.get(this.parts.serial)
    return record.marks.length === 0 && record.mayLackMark && marks.length === 0
  }

  /**
   * Whether another enrolled record may describe the same phone: its `ro.serialno` is equal or unknown. The property is equal on
   * all links of a phone, but not unique on cheap phones.
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

  /** Marks the record as dirty. `needsMark`: a phone without a mark no longer matches the record. */
  private distrust(needsMark: boolean): void {
    const { serial, records } = this.parts
    const before = records.get(serial)
    const mayLackMark = before.mayLackMark && !needsMark
    if (before.dirty && !before.wiped && before.mayLackMark === mayLackMark) return
    records.update(serial, { ...written(before, Date.now()), wiped: null, mayLackMark })
  }
}
