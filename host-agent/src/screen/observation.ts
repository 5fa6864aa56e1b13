/**
 * Builds the public observation of a screen. Limits the number of elements, their texts
 * and the total size. Pure.
 */
import { limits, type Element, type Observation } from '@phonerack/shared'
import type { WindowState } from '../adb/device/device.js'
import type { ScreenElement, ScreenTree } from './elements.js'
import { areaOf } from './geometry.js'
import { elementLine, headLines } from './text-form.js'

export interface BuiltObservation {
  /** `snapshot_id` is empty and `settled` null; the caller that saves the elements sets them. */
  observation: Observation
  /** The listed elements. */
  elements: readonly ScreenElement[]
}

/** Builds an observation of at most 500 elements and `maxBytes` of JSON. */
export function buildObservation(
  tree: ScreenTree,
  window: WindowState,
  takenAt: Date,
  maxBytes: number,
): BuiltObservation {
  const head = {
    app: { package: window.package || packageOf(tree), activity: window.activity },
    keyboard: { visible: window.keyboardVisible, focused_editable: hasFocusedField(tree) },
    screen: {
      width: tree.screen.width,
      height: tree.screen.height,
      ...(window.screenOn ? {} : { on: false as const }),
    },
  }
  const lines = [headLines(head)]
  const listed: Element[] = []
  // The rest of the observation's JSON, with a margin.
  let bytes = 1000
  for (const element of tree.elements.slice(0, limits.elements.max)) {
    const shown = showElement(element)
    const line = elementLine(shown, head.app.package)
    bytes += Buffer.byteLength(JSON.stringify(shown)) + Buffer.byteLength(JSON.stringify(line)) + 2
    if (bytes > maxBytes) break
    listed.push(shown)
    lines.push(line)
  }
  return {
    observation: {
      snapshot_id: '',
      taken_at: takenAt.toISOString(),
      settled: null,
      ...head,
      elements: listed,
      truncated: tree.cut || listed.length < tree.elements.length,
      text: lines.join('\n'),
    },
    elements: tree.elements.slice(0, listed.length),
  }
}

export function showElement(element: ScreenElement): Element {
  const { ref, type, id, bounds, center } = element
  return {
    ref,
    type,
    text: element.text === null ? null : cutText(element.text),
    desc: element.desc === null ? null : cutText(element.desc),
    id,
    bounds: [...bounds],
    center: [center.x, center.y],
    state: [...element.state],
  }
}

/** Cuts a text to at most 1,000 characters, including the `…`. */
export function cutText(text: string): string {
  if (text.length <= limits.elements.text) return text
  // A character has at most two UTF-16 units.
  const characters = Array.from(text.slice(0, 2 * limits.elements.text + 1))
  if (characters.length <= limits.elements.text) return text
  return `${characters.slice(0, limits.elements.text - 1).join('')}…`
}

const hasFocusedField = (tree: ScreenTree): boolean =>
  tree.visible.some((node) => node?.editable === true && node.focused)

/**
 * For a phone that did not report the foreground app: the package of the largest window
 * except the system's and keyboards. Panels and floating windows are in front of the app.
 */
export function packageOf({ visible, keyboards }: ScreenTree): string {
  const windows = visible.filter((node) => node !== null && node.parent < 0 && !keyboards.has(node.index))
  const packages = [
    ...windows.flatMap((node) => node ?? []).sort((a, b) => areaOf(b.visible) - areaOf(a.visible)),
    ...visible,
  ]
    .map((node) => node?.package ?? '')
    .filter((name) => name !== '')
  return packages.find((name) => name !== 'com.android.systemui') ?? packages[0] ?? ''
}
