/** Converts the steps of a session, one by one in their order, to the calls that repeat them. Pure. */
import { type Action, type ActionResult, type Observation } from '@phonerack/shared'
import { isMaskedKey, isMaskedShell } from '../redact.js'
import { type StepView } from '../types.js'
import { type Found, scriptTarget, type Known, type ScriptTarget } from './targets.js'

/** A call for an action. Its targets also exist on another phone, and its text may be a variable. */
export interface Call {
  type: Action['type']
  /** Targets by field: `target`, `from` and `to`. */
  targets: Partial<Record<'target' | 'from' | 'to', ScriptTarget>>
  /** The text of `type`. */
  text: { kept: string } | { variable: string } | null
  /** The recorded action, for its other fields. */
  action: Action
}

export type Planned =
  | { kind: 'step'; note: string }
  | { kind: 'note'; note: string }
  /** `isDisabled`: the action's outcome was unknown, so the call becomes a comment. */
  | { kind: 'call'; call: Call; notes: string[]; isDisabled: boolean }

/** A variable for a text that is not kept. */
export interface Variable {
  name: string
  /** Names the step and the field of the text. */
  note: string
}

interface Planner {
  /**
   * Returns the calls of a step. Steps must be added oldest first.
   * @param screen returns a screen by snapshot ID
   */
  add(step: StepView, screen: (snapshotId: string) => Observation | null): Planned[]
  /** The variables of all steps so far. */
  variables: readonly Variable[]
}

const waits: readonly Action['type'][] = ['wait', 'wait_for', 'wait_idle']

export function createPlanner(): Planner {
  const variables: Variable[] = []
  let number = 0
  /** When an action last ran on the phone. */
  let doneAt = 0

  /** Creates the variable for a text that was typed into the target. */
  const variableFor = (targets: Call['targets']): string => {
    const name = `TEXT_${variables.length + 1}`
    const { target } = targets
    const field = !target || 'x' in target ? 'the focused field' : `the field ${JSON.stringify(target)}`
    variables.push({ name, note: `the text that step ${number} typed into ${field}` })
    return name
  }

  const plannedOf = (action: Action, result: ActionResult, known: Known, textKept: boolean): Planned => {
    if (!result.ok && result.error?.code !== 'action_outcome_unknown')
      return { kind: 'note', note: `${action.type} failed: ${result.error?.code ?? 'unknown'}` }
    if (isMaskedKey(action)) return { kind: 'note', note: 'key is left out: its character is not kept' }
    if (isMaskedShell(action)) return { kind: 'note', note: 'shell is left out: its command is not kept' }
    const isDisabled = !result.ok
    const notes = isDisabled ? ['the outcome of this action was unknown'] : []
    const targets: Call['targets'] = {}
    const { center } = result.resolved ?? {}
    for (const field of ['target', 'from', 'to'] as const) {
      const given = field in action ? (action as Partial<Record<typeof field, unknown>>)[field] : undefined
      if (given === undefined) continue
      const found = scriptTarget(given as Parameters<typeof scriptTarget>[0], center ?? null, known)
      if (!found || (needsElement(action) && 'x' in found.target))
        return { kind: 'note', note: `${action.type} is left out: its element is unknown` }
      targets[field] = found.target
      noteOf(found, field, notes)
    }
    const text =
      action.type !== 'type' ? null : textKept ? { kept: action.text } : { variable: variableFor(targets) }
    return { kind: 'call', call: { type: action.type, targets, text, action }, notes, isDisabled }
  }

  return {
    variables,
    add(step, screen) {
      number += 1
      const plan: Planned[] = [{ kind: 'step', note: `${number}: ${step.startedAt.toISOString()}` }]
      if (step.by.via === 'live')
        plan.push({ kind: 'note', note: 'touches of a person in a live view, which are not repeated' })
      else if (step.status === 'unknown' && step.results.length === 0)
        plan.push({ kind: 'note', note: `left out, since its outcome was unknown: ${typesOf(step)}` })
      const readAt = step.beforeAt?.getTime() ?? 0
      const fresh = step.before && readAt >= doneAt ? step.before : null
      let isFirst = true
      for (const result of step.results) {
        const action = step.actions[result.index]
        if (!action) continue
        plan.push(plannedOf(action, result, { screen, fresh: isFirst ? fresh : null }, step.textKept))
        isFirst = false
      }
      const isOnlyWaiting = step.actions.every(({ type }) => waits.includes(type))
      if (!isOnlyWaiting) doneAt = Math.max(doneAt, step.startedAt.getTime() + 1)
      return plan
    },
  }
}

/** A script can neither wait for a point nor scroll to it. */
const needsElement = ({ type }: Action): boolean => type === 'wait_for' || type === 'scroll_to'

const typesOf = ({ actions }: StepView): string => actions.map(({ type }) => type).join(', ')

function noteOf({ note }: Found, field: string, notes: string[]): void {
  if (note !== null) notes.push(field === 'target' ? note : `${field}: ${note}`)
}
