/** Records batches and touches: the order of the writes of a step, and what is masked in it. */
import { limits, newId, type Action, type ActionResult, type ObserveMode } from '@phonerack/shared'
import { type Core } from '../core/core.js'
import { type StepSettings } from '../core/caller.js'
import { type BatchAnswer } from './answers.js'
import { pack } from './pack.js'
import { packScreen } from './pack-screen.js'
import { decodePicture, type Pictures } from './pictures.js'
import { type Masker, maskActions, maskResults, typedIn } from './redact.js'
import { dropStep, writeStep, type NewStep, type StepEnd } from './rows.js'
import { createLastScreens, type LastScreens } from './screens.js'
import { createTypedTexts } from './typed-texts.js'
import { type StepWay } from './types.js'
import { createStepWriter } from './writer.js'

/** The facts of a batch, or of touches. */
export interface StepOf {
  projectId: string
  phoneId: string
  requestId: string
  keyId: string
  via: StepWay
  client: string | null
  settings: StepSettings
  actions: readonly Action[]
  /** Null: touches of a person. */
  observe: ObserveMode | null
}

/** The packed `request` of a step. */
export interface StoredRequest {
  actions: Action[]
  observe: ObserveMode | null
}

/** The packed `outcome` of a step. */
export interface StoredOutcome {
  results: ActionResult[]
  completed: number
  error: { code: string; message: string } | null
}

export interface OpenStep {
  /** The batch was answered. Resolves when that is written, or after two seconds. */
  answered(answer: BatchAnswer): Promise<void>
  /** The number of actions that ran is unknown. */
  unknown(error: { code: string; message: string }): Promise<void>
  /** Nothing of the batch ran, so it does not become a step. */
  refused(): void
}

export interface StepRecorder {
  screens: LastScreens
  /** Begins to write the step, and returns immediately. */
  begin(of: StepOf): OpenStep
  /** Touches of a person, which have happened. */
  touched(of: StepOf, startedAt: Date): Promise<void>
  close(): Promise<void>
}

export function createStepRecorder(core: Core, pictures: Pictures): StepRecorder {
  const typed = createTypedTexts()
  const screens = createLastScreens(core, typed)
  const writer = createStepWriter(core)

  const newStep = (of: StepOf, masker: Masker | null, startedAt: Date): NewStep => {
    const { projectId, phoneId, requestId, keyId, via, client, observe, settings } = of
    const actions = masker ? maskActions(of.actions, masker) : [...of.actions]
    const request: StoredRequest = { actions, observe }
    return {
      ...{ id: newId('step'), projectId, phoneId, requestId, keyId, via, client, startedAt },
      request: pack(JSON.stringify(request)),
      textKept: settings.text,
      snapshotIds: snapshotsIn(of.actions),
    }
  }
  /** Texts that this batch types are masked in it too. */
  const maskerOf = ({ settings, phoneId, actions }: StepOf): Masker | null => {
    if (settings.text) return null
    typed.note(phoneId, typedIn(actions))
    return typed.masker(phoneId)
  }

  return {
    screens,
    begin(of) {
      const masker = maskerOf(of)
      const step = newStep(of, masker, core.clock.now())
      const flushed = screens.flush(of.phoneId)
      // The batch does not wait for it, and its end writes what is missing.
      const beginning = startLater(
        async () => {
          await flushed
          await writeStep(core, step, null)
        },
        (error) => core.log.warn({ err: error, step: step.id }, 'could not begin a step'),
      )
      const end = async (ending: StepEnd): Promise<void> => {
        const begun = beginning.settle()
        await writer.write(async () => {
          await flushed
          await begun
          await writeStep(core, step, ending)
        }, limits.steps.recordWait)
      }

      return {
        async answered(answer) {
          const endedAt = core.clock.now()
          const { results, completed, observation } = answer
          const outcome: StoredOutcome = {
            results: masker ? maskResults(results, masker) : results,
            completed,
            error: null,
          }
          const packed = observation && packScreen(observation, endedAt, masker)
          // A picture shows what is masked elsewhere, and may show it when the elements are not known.
          const mayKeep = of.settings.text || (packed !== null && !packed.isMasked)
          const decoded =
            answer.picture && mayKeep && of.settings.pictures !== 'off' ? decodePicture(answer.picture) : null
          const picture = decoded && (await pictures.keep(decoded))
          await end({
            status: statusOf(results, completed, of.actions.length),
            endedAt,
            outcome: pack(JSON.stringify(outcome)),
            screen: packed?.screen ?? null,
            picture,
          })
        },
        unknown({ code, message }) {
          const outcome: StoredOutcome = { results: [], completed: 0, error: { code, message } }
          return end({
            status: 'unknown',
            endedAt: core.clock.now(),
            outcome: pack(JSON.stringify(outcome)),
            screen: null,
            picture: null,
          })
        },
        refused() {
          const begun = beginning.settle()
          if (begun === null) return
          void writer.write(async () => {
            await begun
            await dropStep(core, step.id)
          }, 0)
        },
      }
    },

    async touched(of, startedAt) {
      const step = newStep(of, maskerOf(of), startedAt)
      const outcome: StoredOutcome = { results: [], completed: 0, error: null }
      const ending: StepEnd = {
        ...{ status: 'stopped', endedAt: core.clock.now(), screen: null, picture: null },
        outcome: pack(JSON.stringify(outcome)),
      }
      await writer.write(async () => {
        await screens.flush(of.phoneId)
        await writeStep(core, step, ending)
      }, limits.steps.recordWait)
    },

    async close() {
      await screens.close()
      await writer.close()
    },
  }
}

function statusOf(results: readonly ActionResult[], completed: number, count: number): StepEnd['status'] {
  const failed = results.find(({ ok }) => !ok)
  if (failed) return failed.error?.code === 'action_outcome_unknown' ? 'unknown' : 'failed'
  return completed < count ? 'stopped' : 'succeeded'
}

/** The snapshots that targets name. */
const snapshotsIn = (actions: readonly Action[]): string[] => [
  ...new Set(
    actions.flatMap((action) =>
      Object.values(action).flatMap((value: unknown) =>
        typeof value === 'object' && value !== null && 'snapshot_id' in value
          ? [String(value.snapshot_id)]
          : [],
      ),
    ),
  ),
]

/**
 * Milliseconds that a batch runs before its beginning is written. A shorter one is written once, with its end, so that it
 * waits for one commit instead of two.
 */
const beginAfterMs = 10

interface Later {
  /** Null: it has not begun, and will not. Otherwise resolves with its end. */
  settle(): Promise<void> | null
}

function startLater(work: () => Promise<void>, onFailure: (error: unknown) => void): Later {
  let running: Promise<void> | null = null
  const timer = setTimeout(() => {
    running = work().catch(onFailure)
  }, beginAfterMs)
  return {
    settle() {
      clearTimeout(timer)
      return running
    },
  }
}
