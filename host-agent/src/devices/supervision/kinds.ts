/** The kinds of phones, by the property `ro.hardware`, which no program on a phone can change. Pure. */

export const phoneKinds = ['handset', 'avd', 'redroid', 'virtual'] as const
export type PhoneKind = (typeof phoneKinds)[number]

/** The virtual phone of this repository, Android's emulator, and redroid. Any other value is a handset. */
const byHardware: ReadonlyMap<string, PhoneKind> = new Map([
  ['phonerack', 'virtual'],
  ['goldfish', 'avd'],
  ['ranchu', 'avd'],
  ['redroid', 'redroid'],
])

/** @param hardware null when not reported */
export const kindOf = (hardware: string | null): PhoneKind => byHardware.get(hardware ?? '') ?? 'handset'
