/** Streams the steps of a session, oldest first, in one of the forms. */
import { limits, type Action, type Observation } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type FileStore } from '../../files/storage/file-store.js'
import { stepJson } from './json.js'
import { pictureData } from './picture-data.js'
import {
  inflatePage,
  readScreens,
  readStepsAfter,
  screenIds,
  viewOf,
  type At,
  type Screens,
  type StepRow,
  type StepsOf,
} from './reads.js'
import { writeHtml } from './replay/html.js'
import { python } from './script/python.js'
import { createScript } from './script/script.js'
import { typescript } from './script/typescript.js'
import { type ExportForm, type StepView } from './types.js'

/** Steps per read. */
const pageSteps = 50

interface ExportedStep {
  view: StepView
  row: StepRow
  screens: Screens
}

export interface Session {
  phoneId: string
  sessionId: string
  steps: AsyncIterable<ExportedStep>
  /** Whether the session has more steps than the export. Known after the last step. */
  isCut(): boolean
}

export async function* exportSteps(
  core: Core,
  store: FileStore,
  of: StepsOf & { sessionId: string },
  form: ExportForm,
): AsyncGenerator<string, void> {
  const session = sessionOf(core, of, form === 'ts' || form === 'python')
  if (form === 'html') {
    yield* writeHtml(store, session)
    return
  }
  if (form === 'jsonl') {
    for await (const { view, row } of session.steps) {
      const json = stepJson(view)
      const data = await pictureData(store, row)
      const picture = json.picture && data !== null ? { ...json.picture, data } : json.picture
      yield `${JSON.stringify({ ...json, picture })}\n`
    }
    return
  }
  const script = createScript(form === 'ts' ? typescript : python, of)
  let isCut = false
  for await (const { view, screens } of session.steps) {
    if (script.isFull) {
      isCut = true
      break
    }
    script.add(view, (id): Observation | null => screens.get(id)?.observation ?? null)
  }
  yield* script.chunks(isCut || session.isCut())
}

/** @param withTargets also reads the screens that targets name by a snapshot */
function sessionOf(core: Core, of: StepsOf & { sessionId: string }, withTargets: boolean): Session {
  let isCut = false
  async function* steps(): AsyncGenerator<ExportedStep> {
    let after: At | null = null
    let left: number = limits.steps.exported
    for (;;) {
      const rows: StepRow[] = await readStepsAfter(core, of, after, Math.min(pageSteps, left + 1))
      const page = inflatePage(rows.slice(0, left), limits.steps.pageBytes, true)
      const screens = await readScreens(core, of.phoneId, screenIds(page.map(({ row }) => row)))
      for (const step of page) {
        const view = viewOf(core, step, screens)
        const missing = withTargets ? view.actions.flatMap(snapshotOf).filter((id) => !screens.has(id)) : []
        const named = await readScreens(core, of.phoneId, missing, limits.steps.pageBytes)
        yield { view, row: step.row, screens: named.size === 0 ? screens : new Map([...screens, ...named]) }
      }
      left -= page.length
      const last = page.at(-1)
      if (left === 0 && rows.length > page.length) isCut = true
      if (!last || left === 0 || (rows.length < pageSteps && page.length === rows.length)) return
      after = { at: last.row.startedAt, id: last.row.id }
    }
  }
  return { phoneId: of.phoneId, sessionId: of.sessionId, steps: steps(), isCut: () => isCut }
}

const snapshotOf = (action: Action): string[] =>
  Object.values(action).flatMap((value: unknown) =>
    typeof value === 'object' && value !== null && 'snapshot_id' in value ? [String(value.snapshot_id)] : [],
  )
