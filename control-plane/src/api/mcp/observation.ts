/** Observations as answers of tools: text first, elements only on request, and the picture as image content. */
import { plainLines, type Changes, type Observation } from '@phonerack/shared'
import { foldRows } from '../http/fold-rows.js'
import { maxBytes } from './lists.js'
import { quoted } from './text.js'
import { type Image } from './tool.js'

/** An observation of `/v1`: with all fields, without elements, with only a screenshot, or with only changes. */
export type Seen = Partial<Observation & Changes> & Pick<Observation, 'taken_at'>

export interface Shown {
  /** Adds the elements as objects. Default: false. */
  elements?: boolean | undefined
  /** Shortens long lists (`fold-rows.ts`). Default: true. */
  fold?: boolean | undefined
}

export interface ShownScreen {
  structured: Record<string, unknown>
  lines: string[]
  images: Image[]
}

/** Returns the first lines that fit into a number of bytes. */
function fittingLines(lines: readonly string[], bytes: number): string[] {
  let left = bytes
  const end = lines.findIndex((line) => (left -= Buffer.byteLength(quoted(line))) < 0)
  return end < 0 ? [...lines] : lines.slice(0, end)
}

/** @param bytes of its content */
export function showScreen(
  seen: Seen,
  { elements: withElements = false, fold = true }: Shown,
  bytes = maxBytes,
): ShownScreen {
  const { screenshot, text, truncated, added, changed, ...rest } = seen
  const { elements = [...(added ?? []), ...(changed ?? [])], ...head } = rest
  const plain = text === undefined ? [] : plainLines(text)
  const all = typeof plain === 'string' ? (fold ? foldRows(plain) : plain).split('\n') : plain
  const shown = fittingLines(all, withElements ? bytes / 2 : bytes)
  const objects = withElements ? elements.map((element) => quoted(element)) : []
  const listed = fittingLines(objects, bytes / 2)
  const cut = truncated === true || shown.length < all.length || listed.length < objects.length
  const picture = screenshot && {
    format: screenshot.format,
    width: screenshot.width,
    height: screenshot.height,
    scale: screenshot.scale,
    ...(screenshot.secure ? { secure: true } : {}),
  }
  const lines = [
    ...(seen.snapshot_id === undefined ? [] : [`snapshot_id ${seen.snapshot_id}`]),
    ...(seen.settled === false ? ['settled false: still changing'] : []),
    ...shown,
    ...listed,
    ...(cut ? ['(more elements were left out; scroll, or ask for a screenshot)'] : []),
    ...(picture ? [pictureLine(picture)] : []),
  ]
  return {
    structured: {
      ...head,
      ...(text === undefined ? {} : { text: shown.join('\n'), truncated: cut }),
      ...(withElements ? { elements: elements.slice(0, listed.length) } : {}),
      ...(picture ? { screenshot: picture } : {}),
    },
    lines,
    images: screenshot ? [{ data: screenshot.data, mimeType: `image/${screenshot.format}` }] : [],
  }
}

const pictureLine = ({
  width,
  height,
  scale,
  secure,
}: {
  width: number
  height: number
  scale: number
  secure?: boolean
}): string =>
  `screenshot ${width}x${height}, scale ${scale}: divide its points by the scale to get device pixels${
    secure ? '; the window forbids screenshots, so it is black' : ''
  }`
