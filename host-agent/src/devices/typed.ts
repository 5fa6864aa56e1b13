/** Remembers when text was last typed on one phone. In memory only. docs/decisions/0278, 0297 */
import { limits, ownNow, typedByShell, type Action } from '@phonerack/shared'

export interface Typed {
  note(phoneId: string): void
  /** Whether any text was typed on this phone in the last minutes, by any caller. */
  isRecent(phoneId: string): boolean
}

/** @param now milliseconds on a monotonic clock */
export function createTyped(now: () => number = ownNow): Typed {
  let last: { phoneId: string; at: number } | null = null
  return {
    note(phoneId) {
      last = { phoneId, at: now() }
    },
    isRecent: (phoneId) =>
      last !== null && last.phoneId === phoneId && now() - last.at < limits.steps.typedLife,
  }
}

const characterKey = /^(?:[a-z0-9]|space)$/

/** Whether a batch types text, or characters by keys. */
export const types = (actions: readonly Action[]): boolean => actions.some(isTyping)

function isTyping(action: Action): boolean {
  if (action.type === 'shell') return typedByShell(`${action.command}\n${action.stdin ?? ''}`).length > 0
  return action.type === 'type' || (action.type === 'key' && characterKey.test(action.key))
}

/** Whether Android's key code is that of a digit, letter or sign (`KeyEvent`): 7–18, 29–56, 62, 68–77, 81, 144–163. */
export const isCharacter = (code: number): boolean =>
  (code >= 7 && code <= 18) ||
  (code >= 29 && code <= 56) ||
  code === 62 ||
  (code >= 68 && code <= 77) ||
  code === 81 ||
  (code >= 144 && code <= 163)
