/** Observations as answers of tools: text first, elements only on request, and the picture as image content. */
import { plainLines, type Observation } from '@phonerack/shared'
import { type Image } from './tool.js'

/** An observation of `/v1`: complete, without elements, or only a picture. */
export type Seen = Partial<Observation> & Pick<Observation, 'taken_at'>

export interface ShownScreen {
  structured: Record<string, unknown>
  lines: string[]
  images: Image[]
}

/** Characters: about 15,000 tokens, below the limit of clients. */
const maxText = 50_000

/** Cuts at the end of a line. */
function shortened(text: string): { text: string; cut: boolean } {
  const safe = plainLines(text)
  if (safe.length <= maxText) return { text: safe, cut: false }
  return { text: safe.slice(0, safe.lastIndexOf('\n', maxText)), cut: true }
}

export function showScreen(phoneId: string, seen: Seen, withElements: boolean): ShownScreen {
  const { screenshot, elements, text, truncated, ...head } = seen
  const shown = text === undefined ? null : shortened(text)
  const cut = truncated === true || shown?.cut === true
  const picture = screenshot && {
    ...{ format: screenshot.format, width: screenshot.width, height: screenshot.height },
    scale: screenshot.scale,
    ...(screenshot.secure ? { secure: true } : {}),
  }
  const lines = [
    `phone ${phoneId}${seen.snapshot_id === undefined ? '' : ` snapshot_id ${seen.snapshot_id}`}`,
    ...(shown ? [shown.text] : []),
    ...(cut ? ['(more elements were left out; scroll, or ask for a screenshot)'] : []),
    ...(picture ? [pictureLine(picture)] : []),
  ]
  return {
    structured: {
      ...head,
      ...(shown ? { text: shown.text, truncated: cut } : {}),
      ...(withElements && elements ? { elements } : {}),
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
