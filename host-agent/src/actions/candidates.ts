/** Gives the candidates of a failed action the refs of the observation that is returned with it. Pure. */
import type { ActionResult, Candidate, Element, Observation } from '@phonerack/shared'

/**
 * Looks up every candidate in the observation. When all are found, each gets the ref
 * and centre of its element there, and `details.snapshot_id` is set. Otherwise the
 * result is unchanged, without `snapshot_id`.
 */
export function relateCandidates(results: readonly ActionResult[], observation: Observation): ActionResult[] {
  return results.map((result) => {
    const candidates = result.error?.details['candidates'] as Candidate[] | undefined
    if (!result.error || !candidates) return result
    const found = lookUp(candidates, observation.elements)
    if (!found) return result
    const details = { ...result.error.details, candidates: found, snapshot_id: observation.snapshot_id }
    return { ...result, error: { ...result.error, details } }
  })
}

function lookUp(candidates: readonly Candidate[], elements: readonly Element[]): Candidate[] | null {
  const left = new Set(elements)
  const found: Candidate[] = []
  for (const candidate of candidates) {
    const element = nearestEqual(candidate, left)
    if (!element) return null
    left.delete(element)
    found.push({ ...candidate, ref: element.ref, center: element.center })
  }
  return found
}

function nearestEqual(candidate: Candidate, elements: Iterable<Element>): Element | null {
  let best: Element | null = null
  let bestDistance = Infinity
  for (const element of elements) {
    const same =
      element.type === candidate.type &&
      element.id === candidate.id &&
      element.text === candidate.text &&
      element.desc === candidate.desc
    if (!same) continue
    const distance =
      Math.abs(element.center[0] - candidate.center[0]) + Math.abs(element.center[1] - candidate.center[1])
    if (distance >= bestDistance) continue
    best = element
    bestDistance = distance
  }
  return best
}
