/** Converts touches, keys and text of a live view to actions. Pure. */

/** The part of a page's message that a step keeps. Points are fractions of the picture. */
export type LiveInput =
  | { type: 'touch'; phase: 'down' | 'move' | 'up' | 'cancel'; pointer: number; x: number; y: number }
  | { type: 'key'; down: boolean; code: number; repeat: number }
  | { type: 'text'; text: string }
  | { type: 'scroll'; x: number; y: number; horizontal: number; vertical: number }
  | { type: 'rotate' }

/**
 * Points are fractions of the screen, since the picture and the screen differ in size. Points are missing
 * where the project does not keep typed text (`withoutPoints`).
 */
type LiveAction =
  | { type: 'tap'; fraction?: [number, number] }
  | { type: 'long_press'; fraction?: [number, number]; duration_ms: number }
  | { type: 'swipe'; from_fraction?: [number, number]; to_fraction?: [number, number]; duration_ms: number }
  | { type: 'scroll'; fraction?: [number, number]; horizontal: number; vertical: number }
  | { type: 'type'; text: string }
  | { type: 'key'; key_code: number }
  | { type: 'rotate' }

const kept = ['touch', 'key', 'text', 'scroll', 'rotate']

/** Whether a message of the page is input that a step keeps. */
export const isStepInput = <M extends { type: string }>(message: M): message is M & LiveInput =>
  kept.includes(message.type)

/**
 * Returns the text that a message types; empty for a key with a character, whose text is not kept; null if the message
 * types no text.
 */
export function typedBy(input: LiveInput): string | null {
  if (input.type === 'text') return input.text
  return input.type === 'key' && input.down && isCharacter(input.code) ? '' : null
}

export interface Gestures {
  /** @param now milliseconds */
  add(input: LiveInput, now: number): void
  /** Actions so far. */
  readonly count: number
  /** The number of characters of the actions' texts. */
  readonly characters: number
  take(): LiveAction[]
}

/** The fraction of the screen within which a touch counts as not moved. */
const still = 0.02
/** Milliseconds of a long press. */
const longMs = 500

interface Down {
  at: [number, number]
  last: [number, number]
  since: number
}

const rounded = (part: number): number => Math.round(part * 10_000) / 10_000

export function createGestures(): Gestures {
  let actions: LiveAction[] = []
  let characters = 0
  const fingers = new Map<number, Down>()

  const touch = (input: LiveInput & { type: 'touch' }, now: number): void => {
    const at: [number, number] = [rounded(input.x), rounded(input.y)]
    if (input.phase === 'down') return void fingers.set(input.pointer, { at, last: at, since: now })
    const finger = fingers.get(input.pointer)
    if (!finger) return
    finger.last = at
    if (input.phase === 'move') return
    fingers.delete(input.pointer)
    if (input.phase === 'up') actions.push(gestureOf(finger, now))
  }
  /** A key with a character may be part of a typed text, so only other keys are kept. */
  const key = ({ down, code, repeat }: LiveInput & { type: 'key' }): void => {
    if (!down || repeat > 0) return
    if (isCharacter(code)) return typed('\u2022')
    actions.push({ type: 'key', key_code: code })
  }
  const typed = (text: string): void => {
    characters += text.length
    const last = actions.at(-1)
    if (last?.type === 'type') last.text += text
    else actions.push({ type: 'type', text })
  }
  return {
    get count() {
      return actions.length
    },
    get characters() {
      return characters
    },
    add(input, now) {
      if (input.type === 'touch') touch(input, now)
      else if (input.type === 'key') key(input)
      else if (input.type === 'text') typed(input.text)
      else if (input.type === 'scroll') {
        const { x, y, horizontal, vertical } = input
        const last = actions.at(-1)
        if (last?.type === 'scroll') {
          last.horizontal += horizontal
          last.vertical += vertical
        } else actions.push({ type: 'scroll', fraction: [rounded(x), rounded(y)], horizontal, vertical })
      } else actions.push({ type: 'rotate' })
    },
    take() {
      const taken = actions
      actions = []
      characters = 0
      return taken
    },
  }
}

/**
 * Removes points. Touches on the on-screen keyboard, or on the buttons of an app for a code, reveal the typed text.
 * docs/decisions/0278
 */
export const withoutPoints = (actions: readonly LiveAction[]): LiveAction[] =>
  actions.map(
    (action) =>
      Object.fromEntries(Object.entries(action).filter(([name]) => !name.endsWith('fraction'))) as LiveAction,
  )

function gestureOf({ at, last, since }: Down, now: number): LiveAction {
  const duration_ms = Math.round(now - since)
  if (Math.hypot(last[0] - at[0], last[1] - at[1]) > still)
    return { type: 'swipe', from_fraction: at, to_fraction: last, duration_ms }
  return duration_ms >= longMs
    ? { type: 'long_press', fraction: at, duration_ms }
    : { type: 'tap', fraction: at }
}

/** Android's key codes of digits, letters and signs (`KeyEvent`): 7–18, 29–56, 62, 68–77, 81, 144–163. */
const isCharacter = (code: number): boolean =>
  (code >= 7 && code <= 18) ||
  (code >= 29 && code <= 56) ||
  code === 62 ||
  (code >= 68 && code <= 77) ||
  code === 81 ||
  (code >= 144 && code <= 163)
