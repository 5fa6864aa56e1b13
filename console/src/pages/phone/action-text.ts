/** Describes an action of an agent in a few words. */
import { type Action } from '../../api/types'
import { undirected } from '../../direction'

const asText = (value: unknown): string => {
  if (typeof value === 'string') return `“${undirected(value)}”`
  return typeof value === 'number' ? String(value) : ''
}

/** The text, ID, element or point that a target names. */
function targetText(target: unknown): string {
  if (typeof target !== 'object' || target === null) return ''
  const { text, desc, id, ref, x, y } = target as Record<string, unknown>
  if (typeof ref === 'number') return `element ${ref}`
  if (typeof x === 'number' && typeof y === 'number') return `${x}, ${y}`
  return asText(text ?? desc ?? id)
}

export function actionText(action: Action): string {
  const { type, target, from, to, text, key, url, direction, ms, command } = action
  const content =
    asText(text ?? command) ||
    [action['package'], key, url, direction].find((value) => typeof value === 'string') ||
    (typeof ms === 'number' ? `${ms} ms` : '')
  const place = targetText(target) || [targetText(from), targetText(to)].filter(Boolean).join(' to ')
  return [type.replaceAll('_', ' '), content, content && place ? 'in' : '', place].filter(Boolean).join(' ')
}
