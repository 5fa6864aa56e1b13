/** Text with the colors of this program, safe for a terminal. */
import { plainLines } from '@phonerack/shared/plain'

/** The color codes of `Output.paint`, which cannot hide text. */
const ownColors = new RegExp(String.raw`(\x1b\[(?:1|2|22|31|32|33|36|39)m)`)

/** Like `plainLines`, but keeps the colors of this program. */
export const plainPainted = (text: string): string =>
  text
    .split(ownColors)
    .map((part, index) => (index % 2 === 1 ? part : plainLines(part)))
    .join('')
