/** Moves the focus of the direction and tab keys between the focusable views of a window. */
import { isEmpty, type Rect } from '../toolkit/geometry.js'
import { type View } from '../toolkit/view.js'

export type Direction = 'up' | 'down' | 'left' | 'right' | 'next' | 'previous'

interface Candidate {
  place: string
  view: View
}

function candidates(root: View): Candidate[] {
  const out: Candidate[] = []
  const visit = (v: View, place: string): void => {
    if (v.focusable && v.enabled && !v.list && !isEmpty(v.visible)) out.push({ place, view: v })
    v.children.forEach((child, i) => {
      visit(child, place === '' ? String(i) : `${place}/${i}`)
    })
  }
  visit(root, '')
  return out
}

/** Returns the view at a path, or null. */
export function viewAt(root: View, place: string): View | null {
  let v: View | undefined = root
  for (const part of place === '' ? [] : place.split('/')) v = v?.children[Number(part)]
  return v ?? null
}

function distance(from: Rect, to: Rect, direction: Direction): number {
  const dx = (to.left + to.right) / 2 - (from.left + from.right) / 2
  const dy = (to.top + to.bottom) / 2 - (from.top + from.bottom) / 2
  const [along, aside] =
    direction === 'up'
      ? [-dy, dx]
      : direction === 'down'
        ? [dy, dx]
        : direction === 'left'
          ? [-dx, dy]
          : [dx, dy]
  return along <= 0 ? Infinity : along + 2 * Math.abs(aside)
}

/** Returns the path and the view of the next focus; null at the edge. */
export function nextFocus(root: View, current: View | null, direction: Direction): Candidate | null {
  const all = candidates(root)
  const at = all.findIndex((candidate) => candidate.view === current)
  if (!current || at === -1) return all[0] ?? null
  if (direction === 'next') return all[(at + 1) % all.length] ?? null
  if (direction === 'previous') return all[(at - 1 + all.length) % all.length] ?? null
  let best: Candidate | null = null
  let least = Infinity
  for (const candidate of all) {
    if (candidate.view === current) continue
    const far = distance(current.rect, candidate.view.rect, direction)
    if (far < least) {
      least = far
      best = candidate
    }
  }
  return best
}
