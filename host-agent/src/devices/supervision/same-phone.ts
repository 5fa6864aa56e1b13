/**
 * Decides whether the phone of an adb serial is the phone in the serial's record. One phone can have two
 * serials (USB and network, or two addresses), and two phones can use one serial in turn. Pure.
 * docs/decisions/0143
 */
import type { DeviceRecord } from '../../custody/records.js'

/** The facts read from the phone. */
export interface PhoneTraits {
  /**
   * The ID changes with each boot of the kernel: two serials with the same boot ID are one phone. Null when not
   * reported.
   */
  bootId: string | null
  /** Names of the marks in the agent's folder. */
  marks: readonly string[]
}

/**
 * `use`: tenants may use the phone. `wipe`: the phone may only be erased. `none`: only reads. `reason` is
 * null when an operator never enrolled this phone.
 */
export type Standing = { may: 'use'; reason: null } | { may: 'wipe' | 'none'; reason: string | null }

type Known = Pick<DeviceRecord, 'enrolled' | 'hardwareSerial' | 'marks' | 'mayLackMark'>

/** @param twin another serial of the same phone that is in use now */
export function standingOf(
  record: Known,
  seen: PhoneTraits & { hardwareSerial: string | null },
  twin: string | null,
): Standing {
  const same = twin === null ? null : sameAs(twin)
  if (!isEnrolled(record, seen.hardwareSerial)) return { may: 'none', reason: same }
  if (seen.marks.some((mark) => record.marks.includes(mark))) return { may: 'use', reason: null }
  if (seen.marks.length > 0)
    return {
      may: 'none',
      reason:
        'the phone has since been enrolled or wiped under another serial, or another phone now has this serial: enroll the phone again to use it here',
    }
  if (same !== null) return { may: 'none', reason: same }
  if (record.mayLackMark) return { may: 'use', reason: null }
  return {
    may: 'wipe',
    reason:
      "the phone lost this host's mark: the phone was erased elsewhere, or another phone has this serial. Wipe the phone or enroll it again",
  }
}

export const isEnrolled = (
  { enrolled, hardwareSerial }: Pick<Known, 'enrolled' | 'hardwareSerial'>,
  found: string | null,
): boolean => enrolled && (hardwareSerial === null || hardwareSerial === found)

export const sameAs = (twin: string): string =>
  `the same phone is connected and enrolled as ${twin}: disconnect one of the two serials`

interface PhoneLink extends PhoneTraits {
  /** Whether a tenant's calls may reach the phone, or an enrolment or a wipe works on it. */
  inUse: boolean
  /** Suspends the use of the phone until it is identified again. */
  recheck: () => void
}

/** The known facts about the phones of the connected serials. A host has one such object. */
export class PhoneLinks {
  private readonly links = new Map<string, PhoneLink>()

  set(serial: string, link: PhoneLink): void {
    this.links.set(serial, link)
  }

  delete(serial: string): void {
    this.links.delete(serial)
  }

  use(serial: string): void {
    const link = this.links.get(serial)
    if (link) link.inUse = true
  }

  /** Whether any other serial is in use. */
  anyInUse(except: string): boolean {
    return [...this.links].some(([serial, { inUse }]) => serial !== except && inUse)
  }

  /** Returns the other serials of this phone that are in use. */
  twinsOf(serial: string, { bootId, marks }: PhoneTraits): string[] {
    return [...this.links]
      .filter(([other, link]) => {
        if (other === serial || !link.inUse) return false
        return (bootId !== null && link.bootId === bootId) || link.marks.some((mark) => marks.includes(mark))
      })
      .map(([other]) => other)
  }

  recheck(serials: readonly string[]): void {
    for (const serial of serials) this.links.get(serial)?.recheck()
  }
}
