/** Reads `--without scrcpy,6001:ui-server`: which phone lacks which parts. Used by `main.ts`. */
import { isPart, type Part } from '../android/missing.js'

/** The parts that the phone at an adb port lacks. */
export type Without = (port: number) => Part[]

/** A part without a port is missing from every phone. Null for an unknown part or an invalid port. */
export function readWithout(text: string): Without | null {
  const entries: { port: number | null; part: Part }[] = []
  for (const entry of text.split(',').filter((each) => each !== '')) {
    const [, port, part = ''] = /^(?:(\d+):)?(.*)$/.exec(entry) ?? []
    if (!isPart(part)) return null
    entries.push({ port: port === undefined ? null : Number(port), part })
  }
  return (port) =>
    entries.filter((entry) => entry.port === null || entry.port === port).map(({ part }) => part)
}
