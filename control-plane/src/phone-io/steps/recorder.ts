/** Records batches and touches: the order of the writes of a step, and what is masked in it. */
import { limits, newId, ownNow, type Action, type ActionResult, type ObserveMode } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type StepSettings } from '../../base/core/caller.js'
import { type BatchAnswer } from './answers.js'
import { pack } from './pack.js'
import { packScreen, type PackedScreen } from './pack-screen.js'
import { decodePicture, type KeptPicture, type Pictures } from './pictures.js'
import { type Masker, maskActions, typedIn } from './redact.js'
import { maskResults } from './redact-screen.js'
import { stepDrop, stepWrite, writeStep, type NewStep, type StepEnd } from './rows.js'
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
  /** Begins to write the step of a phone that has admitted its batch, and returns immediately. */
  begin(of: StepOf): OpenStep
  /** Records a text that reached the phone in another way. Steps mask it like a typed text. */
  noteText(phoneId: string, text: string): void
  /** Whether something was typed on the phone through this replica in the last minutes. */
  hasTyped(phoneId: string): boolean
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
      id: newId('step'),
      projectId,
      phoneId,
      requestId,
      keyId,
      via,
      client,
      startedAt,
      request: pack(JSON.stringify(request)),
      textKept: settings.text,
      snapshotIds: snapshotsIn(of.actions),
    }
  }
  /**
   * Texts that this batch types are masked in it too. They are remembered even if the project keeps texts, since it may stop
   * that before they expire.
   */
  const maskerOf = ({ settings, phoneId, actions }: StepOf): Masker | null => {
    const texts = typedIn(actions)
    if (texts) typed.note(phoneId, texts)
    return settings.text ? null : typed.masker(phoneId)
  }
  /** A picture shows what is masked elsewhere. It may also show typed text that the elements do not have. */
  const keepPicture = async (
    { settings, phoneId }: StepOf,
    { picture }: BatchAnswer,
    packed: PackedScreen | null,
  ): Promise<KeptPicture | null> => {
    const isClean = packed !== null && !packed.isMasked && !typed.has(phoneId)
    return picture && settings.pictures !== 'off' && (settings.text || isClean)
      ? pictures.keep(decodePicture(picture))
      : null
  }

  return {
    screens,
    begin(of) {
      const step = newStep(of, maskerOf(of), core.clock.now())
      const flushed = screens.flush(of.phoneId)
      // The batch does not wait for this write, and the end of the step writes what is missing.
      const beginning = startLater(
        async () => {
          await flushed
          await writeStep(core, step, null)
        },
        (error) => core.log.warn({ err: error, step: step.id }, 'could not begin a step'),
      )
      /** @param since the time of the answer, on the process's own clock */
      const end = async (ending: StepEnd, since = ownNow()): Promise<void> => {
        const begun = beginning.settle()
        const left = Math.max(0, limits.steps.recordWait - (ownNow() - since))
        await writer.write(stepWrite(core, step, ending, [flushed, begun]), left)
      }

      return {
        async answered(answer) {
          const endedAt = core.clock.now()
          const since = ownNow()
          // Another caller may have typed on the phone since the step began.
          const masker = maskerOf(of)
          const { results, completed, observation } = answer
          const outcome: StoredOutcome = {
            results: masker ? maskResults(results, masker, observation) : results,
            completed,
            error: null,
          }
          const packed = observation && packScreen(observation, endedAt, masker)
          const picture = await keepPicture(of, answer, packed)
          const ending: StepEnd = {
            status: statusOf(results, completed, of.actions.length),
            endedAt,
            outcome: pack(JSON.stringify(outcome)),
            screen: packed?.screen ?? null,
            picture,
          }
          await end(ending, since)
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
          void writer.write(stepDrop(core, step.id, begun), 0)
        },
      }
    },

    noteText: (phoneId, text) => typed.note(phoneId, [text]),
    hasTyped: (phoneId) => typed.has(phoneId),

    async touched(of, startedAt) {
      const step = newStep(of, maskerOf(of), startedAt)
      const outcome: StoredOutcome = { results: [], completed: 0, error: null }
      const ending: StepEnd = {
        status: 'stopped',
        endedAt: core.clock.now(),
        screen: null,
        picture: null,
        outcome: pack(JSON.stringify(outcome)),
      }
      const flushed = screens.flush(of.phoneId)
      await writer.write(stepWrite(core, step, ending, [flushed]), limits.steps.recordWait)
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
  /** Returns null if the delayed work has not begun, and now will not begin. Otherwise resolves with its end. */
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
