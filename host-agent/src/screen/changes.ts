/**
 * Computes the changes since an earlier snapshot: the answer to `since`. An element that only moved has not changed: its ref leads to
 * its new place. Pure.
 */
import type { Changes, ChangesSince, Element, Observation } from '@phonerack/shared'
import type { ScreenElement } from './elements.js'
import { identityOf, isSame } from './identity.js'
import { stateOf, type Snapshot } from './snapshots.js'
import { elementLine, headLines } from './text-form.js'

/** Above this part of changed elements, the whole screen is shorter or easier to read. */
const mostChanged = 0.6

type Sorted = Pick<Changes, 'added' | 'changed' | 'removed' | 'kept'>

/**
 * Returns the observation as changes since `since`, or as a whole screen. `seen`: the elements of the observation.
 * `before`: the snapshot `since`, or null when it is unknown or expired.
 */
export function changesSince(
  observation: Observation,
  seen: { window: number; elements: readonly ScreenElement[] },
  since: string | null,
  before: Snapshot | null,
): ChangesSince {
  const whole = { ...observation, since, whole: true as const, text: wholeText(observation) }
  if (!before || since === null || before.window !== seen.window || observation.truncated) return whole
  const sorted = sort(before, seen.elements, observation.elements)
  const { added, changed, removed, kept } = sorted
  const count = added.length + changed.length + removed.length
  if (count > (count + kept) * mostChanged) return whole
  const head = withoutElements(observation)
  return { ...head, since, same: count === 0, ...sorted, text: changesText(head, since, sorted) }
}

const withoutElements = ({ elements: _, ...head }: Observation) => head

function sort(before: Snapshot, elements: readonly ScreenElement[], shown: readonly Element[]): Sorted {
  const known = new Map(before.elements.map((element) => [element.ref, element]))
  const sorted: Sorted = { added: [], changed: [], removed: [], kept: 0 }
  for (const [index, element] of elements.entries()) {
    const was = known.get(element.ref)
    const now = shown[index]
    if (!now) continue
    known.delete(element.ref)
    if (!was) sorted.added.push(now)
    else if (isSame(was, identityOf(element)) && was.state === stateOf(element)) sorted.kept += 1
    else sorted.changed.push(now)
  }
  return { ...sorted, removed: [...known.keys()] }
}

/** Adds the line `whole screen` above the elements. */
function wholeText({ text, ...head }: Observation): string {
  const lines = headLines(head)
  return `${lines}\nwhole screen${text.slice(lines.length)}`
}

function changesText(
  head: Omit<Observation, 'elements'>,
  since: string,
  { added, changed, removed, kept }: Sorted,
): string {
  const line = (element: Element): string => elementLine(element, head.app.package)
  if (added.length + changed.length + removed.length === 0) return `${headLines(head)}\nsame as ${since}`
  return [
    headLines(head),
    ...added.map((element) => `+ ${line(element)}`),
    ...changed.map((element) => `~ ${line(element)}`),
    ...(removed.length === 0 ? [] : [`- ${removed.map((ref) => `[${ref}]`).join(' ')}`]),
    `kept ${kept}`,
  ].join('\n')
}
