/** Masks typed text in the results and the screens of a step. Pure. docs/decisions/0278 */
import { limits, showsTypedText, type ActionResult, type Element, type Observation } from '@phonerack/shared'
import { mark, type Masker } from './redact.js'
import { headLines } from './text-elements.js'

interface Masked {
  observation: Observation
  /** Whether anything was masked. */
  isMasked: boolean
}

export function maskObservation(observation: Observation, masker: Masker): Masked {
  const byRef = new Map<number, { element: Element; isMasked: boolean }>()
  const elements = observation.elements.map((element) => {
    const kept = maskElement(element, masker)
    byRef.set(element.ref, { element: kept, isMasked: kept !== element })
    return kept
  })
  const text = observation.text
    .split('\n')
    .map((line, at) => {
      if (at < headLines) return masker.text(line)
      const ref = /^\[(\d+)\]/.exec(line)?.[1]
      const of = ref === undefined ? undefined : byRef.get(Number(ref))
      // Without the element, it is unknown which part of the line was typed.
      if (!of) return `${ref === undefined ? '' : `[${ref}] `}"${mark}"`
      return of.isMasked ? maskLine(line, of.element) : line
    })
    .join('\n')
  const isMasked = text !== observation.text || elements.some((each, at) => each !== observation.elements[at])
  return isMasked ? { observation: { ...observation, elements, text }, isMasked } : { observation, isMasked }
}

/** Returns the same element when no text in it is masked. */
function maskElement(element: Element, masker: Masker): Element {
  const isTyped = showsTypedText(element)
  const text = element.text === null ? null : isTyped ? mark : masker.text(element.text)
  const desc = element.desc === null ? null : masker.text(element.desc)
  return text === element.text && desc === element.desc ? element : { ...element, text, desc }
}

/** A line of the text form: `[ref] Type "text" #id flags (x,y)`. */
const form = /^(\[(\d+)\] \S+) "(?:[^"\\]|\\.)*"/

function maskLine(line: string, { ref, text, desc }: Element): string {
  const words = quoted(text ?? desc ?? '')
  // A line of unknown form must never be kept.
  return form.test(line) ? line.replace(form, (_, head: string) => `${head} ${words}`) : `[${ref}] ${words}`
}

/** Escapes a text as the text form does; see `Observation.text`. */
const quoted = (text: string): string =>
  `"${text.replace(/["\\]/g, '\\$&').replace(/\r\n|[\n\r\v\f\u2028\u2029\u0085]/g, '\\n')}"`

/** The results with as much of the outputs of shell commands as a step keeps. @param isKept the project keeps typed text */
export const maskOutputs = (results: readonly ActionResult[], isKept: boolean): ActionResult[] =>
  results.map((result) => {
    const { stdout = '', stderr = '' } = result
    if (stdout === '' && stderr === '') return result
    if (!isKept) return { ...result, stdout: stdout && mark, stderr: stderr && mark }
    const most = limits.steps.output
    const isCut = stdout.length > most || stderr.length > most
    const kept = { stdout: stdout.slice(0, most), stderr: stderr.slice(0, most) }
    return isCut ? { ...result, ...kept, truncated: true } : result
  })

/**
 * @param observation the observation of the batch, whose elements show which candidates are fields; null:
 * unknown
 */
export const maskResults = (
  results: readonly ActionResult[],
  masker: Masker,
  observation: Observation | null,
): ActionResult[] =>
  results.map((given) => {
    const { matched } = given
    const result = matched === undefined ? given : { ...given, matched: masker.text(matched) }
    const { error } = result
    if (!error) return result
    const { candidates, ...facts } = error.details
    const isSame = observation !== null && facts['snapshot_id'] === observation.snapshot_id
    const elements = isSame ? observation.elements : []
    return {
      ...result,
      error: {
        ...error,
        message: masker.text(error.message),
        next: error.next === null ? null : masker.text(error.next),
        details: {
          ...masker.json(facts),
          ...(candidates === undefined ? {} : { candidates: maskCandidates(candidates, masker, elements) }),
        },
      },
    }
  })

/** Candidates have no state, so the texts of candidates without a known element are omitted. */
function maskCandidates(candidates: unknown, masker: Masker, elements: readonly Element[]): unknown {
  if (!Array.isArray(candidates)) return null
  return candidates.map((candidate: unknown): unknown => {
    if (typeof candidate !== 'object' || candidate === null) return null
    const { text = null, desc = null, ...rest } = candidate as Record<string, unknown>
    const element = elements.find(({ ref }) => ref === rest['ref'])
    const maskOne = (words: unknown, isTyped: boolean): string | null =>
      words === null ? null : isTyped || typeof words !== 'string' ? mark : masker.text(words)
    return {
      ...masker.json(rest),
      text: maskOne(text, !element || showsTypedText(element)),
      desc: maskOne(desc, !element),
    }
  })
}
