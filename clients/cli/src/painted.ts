/** Text with the colors of this program, safe for a terminal. */
import { plainLines } from '@phonerack/shared/plain'

/** The codes of `Output.paint`. None of them can hide text. */
const ownColors = new RegExp(String.raw`(\x1b\[(?:1|2|22|31|32|33|36|39)m)`)

/** As `plainLines`, for text that this program has colored. */
export const plainPainted = (text: string): string =>
  text
    .split(ownColors)
    .map((part, index) => (index % 2 === 1 ? part : plainLines(part)))
    .join('')
