/** Describes actions, targets and senders in words. */
import type { Action, Screen, Step } from './model.js'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Describes a ref, with its element's text if the element is on the screen before the step. */
function refWords({ ref, snapshot_id: id }: Record<string, unknown>, screen: Screen | null): string {
  const element = screen?.snapshot_id === id ? screen?.elements.find((each) => each.ref === ref) : undefined
  const words = element?.text ?? element?.desc
  return words === undefined || words === null ? `[${String(ref)}]` : `[${String(ref)}] \u201c${words}\u201d`
}

function targetWords(target: unknown, screen: Screen | null): string {
  if (!isObject(target)) return ''
  if ('ref' in target) return refWords(target, screen)
  if ('x' in target) return `(${String(target['x'])}, ${String(target['y'])})`
  for (const form of ['text', 'id', 'desc'] as const)
    if (form in target) {
      const nth = 'nth' in target ? ` number ${String(target['nth'])}` : ''
      return `${form} \u201c${String(target[form])}\u201d${nth}`
    }
  return ''
}

/** Fields with the same value in most actions. */
const dull = new Set(['type', 'target', 'from', 'to', 'text'])

export function actionWords(action: Action, screen: Screen | null): string {
  const { type, text, target, from, to } = action
  const more = Object.entries(action)
    .filter(
      ([name, value]) => !dull.has(name) && value !== false && !(Array.isArray(value) && value.length === 0),
    )
    .map(([name, value]) => `${name} ${isObject(value) ? JSON.stringify(value) : String(value)}`)
  return [
    type.replaceAll('_', ' '),
    typeof text === 'string' ? `\u201c${text}\u201d` : '',
    target === undefined
      ? ''
      : type === 'type'
        ? `into ${targetWords(target, screen)}`
        : targetWords(target, screen),
    from === undefined ? '' : `from ${targetWords(from, screen)}`,
    to === undefined ? '' : `to ${targetWords(to, screen)}`,
    more.length > 0 ? `\u00b7 ${more.join(', ')}` : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
}

const senders: Readonly<Record<string, string>> = { api: 'API', mcp: 'MCP' }

export function senderWords({ via, client, key_name: name, key_id: id }: Step['by']): string {
  if (via === 'live') return 'A person with a live link'
  const program = client === null ? '' : ` ${client}`
  return `${senders[via] ?? via}${program}, key ${name ?? id}`
}

const statuses: Readonly<Record<string, string>> = {
  running: 'still running',
  succeeded: 'succeeded',
  failed: 'failed',
  stopped: 'ended early',
  unknown: 'outcome unknown',
}

export function statusWords({ status, by }: Step): string {
  return by.via === 'live' ? 'by a person' : (statuses[status] ?? status)
}

/** Formats milliseconds as `1.2 s` or `80 ms`. */
export const durationWords = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)
