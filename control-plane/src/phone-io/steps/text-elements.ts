/**
 * Builds the elements of a text observation from its lines and from their bounds, which the host sends with
 * it, so that a batch with `observe: text` costs the same with and without steps. Pure. docs/decisions/0277
 */
import { showsTypedText, type Element, type TextObservation, type Observation } from '@phonerack/shared'

/** The count of numbers per element in `BatchEnded.element_bounds`. */
const numbersEach = 5

/** `[ref] Type "words" #id flags (x,y)`. The words and the ID may be missing. */
const line = /^\[(\d+)\] (\S+)(?: "((?:[^"\\]|\\.)*)")?(?: #(\S+))?((?: [a-z_]+)*) \((-?\d+),(-?\d+)\)$/

/** The flags in the last number of an element. */
const flagBits = { isDescription: 1, isTyped: 2 } as const

/** The number of lines before the elements. */
export const headLines = 3

const plain = (quoted: string): string =>
  quoted.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))

/** @param bounds empty when a host of an earlier release sent it; its elements get bounds of one pixel */
export function withElements(observation: TextObservation, bounds: Uint8Array): Observation {
  const { app, text } = observation
  const view = new DataView(bounds.buffer, bounds.byteOffset, bounds.byteLength)
  const number = (element: number, field: number): number | null => {
    const at = 4 * (numbersEach * element + field)
    return at + 4 <= bounds.byteLength ? view.getInt32(at, true) : null
  }
  const elements = text
    .split('\n')
    .slice(headLines)
    .flatMap((each, index): Element[] => {
      const found = line.exec(each)
      if (!found) return []
      const [, ref, type = '', quoted, id, states = '', x, y] = found
      const center: [number, number] = [Number(x), Number(y)]
      const [left, top, right, bottom] = [0, 1, 2, 3].map((field) => number(index, field))
      const words = quoted === undefined ? null : plain(quoted)
      const flags = number(index, 4)
      const isDescription = ((flags ?? 0) & flagBits.isDescription) !== 0
      return [
        {
          ref: Number(ref),
          type,
          center,
          text: isDescription ? null : words,
          desc: isDescription ? words : null,
          id: id === undefined ? null : id.includes(':id/') ? id : `${app.package}:id/${id}`,
          bounds: [left ?? center[0], top ?? center[1], right ?? center[0] + 1, bottom ?? center[1] + 1],
          state: statesOf(
            states.split(' ').filter((state) => state !== ''),
            flags,
          ),
        },
      ]
    })
  return { ...observation, elements }
}

/**
 * An ID may contain spaces, and its last words may look like states, so only the host knows whether a text
 * was typed. Without the host's flags, every editable element counts as typed.
 */
function statesOf(states: readonly string[], flags: number | null): string[] {
  const isTyped = flags === null ? states.includes('editable') : (flags & flagBits.isTyped) !== 0
  if (!isTyped || showsTypedText({ state: [...states] })) return [...states]
  return [...states.filter((state) => state !== 'hint' && state !== 'editable'), 'editable']
}
