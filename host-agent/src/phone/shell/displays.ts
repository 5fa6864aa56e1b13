/**
 * Reads the displays of a phone from `dumpsys window displays`. Used by `screen.ts` and `windows.ts`, which must take size and
 * focus from the same display. Form: AOSP `DisplayContent.dump`, Android 10 to 16. Each display is a block, and the display that
 * was used last is the last block: the display of a live view or recording comes before display 0. docs/parsers.md
 */
import { command, pipe } from '../../adb/quote.js'

/** Lines without indentation are the title, or the system's message instead of the title. */
export const readDisplays = pipe(
  command('dumpsys', 'window', 'displays'),
  command('grep', '-E', '^[^ ]|Display: mDisplayId=|init=[0-9]+x|mCurrentFocus=|mFocusedApp='),
)

/** A display without focus prints `null`. */
export const windowPattern = /mCurrentFocus=Window\{\S{1,32} (?:u\d{1,10} )?([^}]{1,500})\}/
export const appPattern =
  /mFocusedApp=(?:AppWindowToken\{.{0,200}?)?ActivityRecord\{\S{1,32} u\d{1,10} ([^ }]{1,500})/

/**
 * Returns the lines of display 0. When display 0 has neither window nor app, as on a folded phone, the lines of the
 * last display with a window or app, which was used last. Null when the output has another form.
 */
export function displayInUse(output: string): string | null {
  const blocks = output.split(/^(?=\s{0,20}Display: mDisplayId=)/m)
  const displays = blocks.filter((block) => /^\s{0,20}Display: mDisplayId=\d/.test(block))
  const main = displays.filter((block) => /^\s{0,20}Display: mDisplayId=0\b/.test(block))
  const [first, forged] = main
  // A line feed in a title looks like another display 0, and the whole text is part of the first display.
  if (first !== undefined && forged !== undefined) return output.slice(output.indexOf(first))
  const isUsed = (block: string): boolean => windowPattern.test(block) || appPattern.test(block)
  const found = (first !== undefined && isUsed(first) ? first : displays.findLast(isUsed)) ?? first
  if (found === undefined) return null
  // Android prints both lines for each display, so a block without the app was cut by a line feed in a title.
  return found.includes('mFocusedApp=') ? found : output.slice(output.indexOf(found))
}
