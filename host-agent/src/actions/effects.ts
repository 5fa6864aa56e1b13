/**
 * Reports whether anything was drawn after an action. Counts how often the same action was repeated without a drawing
 * in between, since models loop. Used by `run-batch.ts`.
 */
import type { Action, ActionResult } from '@phonerack/shared'
import type { Device } from '../adb/device/device.js'
import { settlesAt, settleTimes, type Looks, type WriteKind } from '../screen/looks.js'
import { repeatedAdvice } from './advice.js'
import type { Aim } from './target.js'

export interface Effects {
  /** Called when an action begins. The targets and writes that follow belong to this action. */
  begins(index: number, action: Action): void
  aims(place: Aim): void
  /** Called before each write. */
  writes(): void
  wrote(kind: WriteKind): void
  /** Adds the effects that are known now to the result. Omits `changed` for an action that sent nothing. */
  added(result: ActionResult): ActionResult
}

interface Act {
  index: number
  /** Two acts with equal keys are the same action on the same element. */
  key: string
  kind: WriteKind
  /** The start of the first write of the act. */
  beganAt: number
  /** The end of the last write of the act. */
  endedAt: number
  /** How often the act was repeated without a drawing in between, including the first time. */
  count: number
  changed: boolean | null
}

/** The last act of each assignment, which later batches of the assignment compare. */
const lastActs = new WeakMap<Looks, Act>()

export function createEffects(device: Device, looks: Looks): Effects {
  const acts = new Map<number, Act>()
  let current: { index: number; action: Action; aims: unknown[] } | null = null

  const judge = (act: Act): boolean | null => {
    const isDrawn = looks.isDrawnSince(device, act.beganAt)
    if (isDrawn !== false) return isDrawn
    return looks.now() >= settlesAt(act, { knownSince: -Infinity, drawnAt: -Infinity }) ? false : null
  }

  return {
    begins(index, action) {
      current = { index, action, aims: [] }
    },
    aims({ node, center }) {
      current?.aims.push(
        node ? [node.className, node.id, node.text, node.desc, node.visible] : [center.x, center.y],
      )
    },
    writes() {
      if (!current || acts.has(current.index)) return
      const last = lastActs.get(looks)
      if (last && acts.has(last.index)) last.changed = judge(last)
      const key = keyOf(current.action, current.aims)
      const now = looks.now()
      const isAgain =
        last?.key === key &&
        now - last.endedAt >= settleTimes.touch.fixed &&
        looks.isDrawnSince(device, last.beganAt) === false
      const count = isAgain ? last.count + 1 : 1
      const act = { index: current.index, key, kind: 'touch', beganAt: now, endedAt: now, count } as const
      const started: Act = { ...act, changed: null }
      acts.set(current.index, started)
      lastActs.set(looks, started)
    },
    wrote(kind) {
      const act = current && acts.get(current.index)
      if (!act) return
      act.kind = kind
      act.endedAt = looks.now()
    },
    added(result) {
      const act = acts.get(result.index)
      if (!act) return result
      const changed = lastActs.get(looks) === act ? judge(act) : act.changed
      // A shell command can succeed without drawing anything.
      const isRepeated = act.count > 1 && changed !== true && result.type !== 'shell'
      return { ...result, changed, ...(isRepeated ? { repeated: act.count, next: repeatedAdvice } : {}) }
    },
  }
}

/** Omits the text, since typing another text into a field that shows nothing repeats the same attempt. */
function keyOf(action: Action, aims: readonly unknown[]): string {
  const isLeftOut = (name: string) => ['target', 'from', 'to', 'text'].includes(name)
  return JSON.stringify([Object.entries(action).filter(([name]) => !isLeftOut(name)), aims])
}
