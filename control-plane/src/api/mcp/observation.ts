/** Observations as answers of tools: text first, elements only on request, and the picture as image content. */
import { plainLines, type Observation } from '@phonerack/shared'
import { quoted } from './text.js'
import { type Image } from './tool.js'

/** An observation of `/v1`: complete, without elements, or only a picture. */
export type Seen = Partial<Observation> & Pick<Observation, 'taken_at'>

export interface ShownScreen {
  structured: Record<string, unknown>
  lines: string[]
  images: Image[]
}

/** Bytes of a screen in an answer: below 25,000 tokens, at which clients cut or refuse an answer. docs/mcp.md#clients */
const maxBytes = 50_000

/** The first lines, up to a number of bytes. */
function fitting(lines: readonly string[], bytes: number): string[] {
  let left = bytes
  const end = lines.findIndex((line) => (left -= Buffer.byteLength(line) + 1) < 0)
  return end < 0 ? [...lines] : lines.slice(0, end)
}

export function showScreen(phoneId: string, seen: Seen, withElements: boolean): ShownScreen {
  const { screenshot, elements = [], text, truncated, ...head } = seen
  const all = text === undefined ? [] : plainLines(text).split('\n')
  const shown = fitting(all, withElements ? maxBytes / 2 : maxBytes)
  const objects = withElements ? elements.map((element) => quoted(element)) : []
  const listed = fitting(objects, maxBytes / 2)
  const cut = truncated === true || shown.length < all.length || listed.length < objects.length
  const picture = screenshot && {
    format: screenshot.format,
    width: screenshot.width,
    height: screenshot.height,
    scale: screenshot.scale,
    ...(screenshot.secure ? { secure: true } : {}),
  }
  const lines = [
    `phone ${phoneId}${seen.snapshot_id === undefined ? '' : ` snapshot_id ${seen.snapshot_id}`}`,
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
