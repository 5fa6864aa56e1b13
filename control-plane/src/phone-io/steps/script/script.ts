/**
 * Writes the script of a session from its steps, one by one. Only the script's text is held in memory, since
 * its head lists the omitted texts, which are known after the last step. Pure.
 */
import { type Observation } from '@phonerack/shared'
import { type StepView } from '../types.js'
import { createPlanner, type Planned, type Variable } from './plan.js'
import { comment } from './text.js'

/** The number of characters above which a script takes no more steps. */
const mostCharacters = 10_000_000
/** The number of characters that a variable adds to the head, besides its note. */
const variableCharacters = 150

export interface ScriptHead {
  phoneId: string
  sessionId: string
  variables: readonly Variable[]
  /** Whether the session has more steps than the script. */
  isCut: boolean
}

/** The writer of a programming language. Its texts do not end with a line break. */
export interface ScriptForm {
  head(of: ScriptHead): string[]
  /** Returns lines without `indent`. */
  lines(planned: Planned): string[]
  /** Indents the lines between head and foot. */
  indent: string
  foot: readonly string[]
}

export interface Script {
  /** Whether the script takes no more steps. */
  readonly isFull: boolean
  /**
   * Adds a step. Steps must be added oldest first.
   * @param screen returns a screen by snapshot ID
   */
  add(step: StepView, screen: (snapshotId: string) => Observation | null): void
  /** @param isCut whether the session has more steps */
  chunks(isCut: boolean): Generator<string, void>
}

export function createScript(
  form: ScriptForm,
  of: Pick<ScriptHead, 'phoneId' | 'sessionId'>,
  most = mostCharacters,
): Script {
  const planner = createPlanner()
  const { variables } = planner
  const steps: string[] = []
  let characters = 0
  return {
    get isFull() {
      return characters >= most
    },
    add(step, screen) {
      const known = variables.length
      const text = planner
        .add(step, screen)
        .flatMap((planned) => form.lines(planned))
        .map((line) => (line === '' ? '\n' : `${form.indent}${line}\n`))
        .join('')
      steps.push(text)
      characters += text.length
      for (const { note } of variables.slice(known)) characters += comment(note).length + variableCharacters
    },
    *chunks(isCut) {
      yield ended(form.head({ ...of, variables, isCut }))
      yield* steps
      yield ended(form.foot)
    },
  }
}

const ended = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')
