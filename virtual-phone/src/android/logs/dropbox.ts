/**
 * Reports of crashes and hangs, kept like in `DropBoxManagerService`: on disk until a wipe, and limited in
 * number.
 */

export interface DropBoxEntry {
  /** `data_app_crash`, `system_app_anr`, … */
  tag: string
  atMs: number
  text: string
}

const most = 100
/** The largest number of characters of one report. */
const longest = 64 * 1024

export function addReport(entries: readonly DropBoxEntry[], entry: DropBoxEntry): DropBoxEntry[] {
  // The service gives each entry a separate millisecond.
  const last = entries.at(-1)?.atMs ?? 0
  const isTaken = entries.some(({ atMs }) => atMs === entry.atMs)
  const atMs = isTaken ? last + 1 : entry.atMs
  return [...entries, { ...entry, atMs, text: entry.text.slice(0, longest) }].slice(-most)
}
