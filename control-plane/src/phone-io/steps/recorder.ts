/** Records batches and touches: the order of the writes of a step, and what is masked in it. */
import { limits, newId, type Action, type ActionResult, type ObserveMode } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type StepSettings } from '../../base/core/caller.js'
import { type BatchAnswer } from './answers.js'
import { pack } from './pack.js'
import { packScreen, type PackedScreen } from './pack-screen.js'
import { createPhoneQueue, mostWaiting } from './phone-queue.js'
import { decodePicture, type KeptPicture, type Pictures } from './pictures.js'
import { type Masker, maskActions, typedIn } from './redact.js'
import { maskOutputs, maskResults } from './redact-screen.js'
import { stepDrop, stepWrite, writeStep, type NewStep, type StepEnd } from './rows.js'
import { createLastScreens, type LastScreens } from './screens.js'
import { createTypedTexts } from './typed-texts.js'
import { type StepWay } from './types.js'
import { createStepWriter, type StepWrite } from './writer.js'

/** The facts of a batch, or of a person's touches. */
interface StepOf {
  projectId: string
  phoneId: string
  requestId: string
  keyId: string
  via: StepWay
  client: string | null
  settings: StepSettings
  actions: readonly Action[]
  /** Null for touches of a person. */
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

/**
 * The methods of a step return before anything is written. They resolve late only while many writes of the
 * phone wait.
 */
export interface OpenStep {
  /**
   * The batch was answered. If `read` fails, the result of the step is unknown.
   * @param read reads the answer after the client received it
   */
  answered(read: () => BatchAnswer): Promise<void>
  /** The number of actions that ran is unknown. */
  unknown(error: StepError): Promise<void>
  /** No action of the batch ran, so the batch does not become a step. */
  refused(): void
}

interface StepError {
  code: string
  message: string
}

export interface StepRecorder {
  screens: LastScreens
  /** Begins to write the step of a batch that the phone has admitted, and returns immediately. */
  begin(of: StepOf): OpenStep
  /** Records a text that reached the phone without a batch. Steps mask it like typed text. */
  noteText(phoneId: string, text: string): void
  /** Whether any text was typed on the phone through this replica in the last minutes. */
  hasTyped(phoneId: string): boolean
  /** Writes a step of touches that a person has made. */
  touched(of: StepOf, startedAt: Date): Promise<void>
  /** Resolves when the batches that this replica answered before are written, or after two seconds. */
  settled(phoneId: string): Promise<void>
  close(): Promise<void>
}

export function createStepRecorder(core: Core, pictures: Pictures): StepRecorder {
  const typed = createTypedTexts()
  const queue = createPhoneQueue()
  const screens = createLastScreens(core, typed, queue)
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
   * Texts that this batch types are masked in its own step too. They are remembered even if the project keeps
   * texts, since the project may change that setting before they expire.
   */
  const maskerOf = ({ settings, phoneId, actions }: StepOf): Masker | null => {
    const texts = typedIn(actions)
    if (texts) typed.note(phoneId, texts)
    return settings.text ? null : typed.masker(phoneId)
  }
  /**
   * Whether the picture is kept. A picture shows text that is masked elsewhere, and may also show typed text
   * that no element has.
   */
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

  const unknownEnd = (error: StepError, endedAt: Date): StepEnd => {
    const outcome: StoredOutcome = { results: [], completed: 0, error }
    return { status: 'unknown', endedAt, outcome: pack(JSON.stringify(outcome)), screen: null, picture: null }
  }
  const answeredEnd = async (of: StepOf, answer: BatchAnswer, endedAt: Date): Promise<StepEnd> => {
    // Another caller may have typed on the phone since the step began.
    const masker = maskerOf(of)
    const { completed, observation } = answer
    const results = maskOutputs(answer.results, of.settings.text)
    const outcome: StoredOutcome = {
      results: masker ? maskResults(results, masker, observation) : results,
      completed,
      error: null,
    }
    const packed = observation && packScreen(observation, endedAt, masker)
    return {
      status: statusOf(results, completed, of.actions.length),
      endedAt,
      outcome: pack(JSON.stringify(outcome)),
      screen: packed?.screen ?? null,
      picture: await keepPicture(of, answer, packed),
    }
  }
  const settled = (phoneId: string): Promise<void> => queue.settled(phoneId, limits.steps.recordWait)
  const enqueue = (phoneId: string, work: () => Promise<StepWrite>): void =>
    void queue.add(phoneId, async () => {
      try {
        await writer.write(await work(), limits.steps.recordWait)
      } catch (error) {
        core.log.error({ err: error, phone: phoneId }, 'could not record a batch')
      }
    })

  return {
    screens,
    settled,
    begin(of) {
      const { phoneId } = of
      const step = newStep(of, maskerOf(of), core.clock.now())
      let isBegun = false
      const begin = async (): Promise<void> => {
        try {
          await writeStep(core, step, null)
        } catch (error) {
          core.log.warn({ err: error, step: step.id }, 'could not begin a step')
        }
      }
      // The write at the end of the step also writes its beginning, if that is missing.
      const beginning = setTimeout(() => {
        isBegun = true
        screens.flush(phoneId)
        void queue.add(phoneId, begin)
      }, beginAfterMs)
      const end = async (endOf: () => Promise<StepEnd>): Promise<void> => {
        clearTimeout(beginning)
        screens.flush(phoneId)
        // The client gets the answer first.
        const ending = nextTurn().then(endOf)
        ending.catch(() => undefined)
        enqueue(phoneId, async () => stepWrite(core, step, await ending))
        if (queue.length(phoneId) > mostWaiting) await settled(phoneId)
      }

      return {
        answered(read) {
          const endedAt = core.clock.now()
          return end(async () => {
            try {
              return await answeredEnd(of, read(), endedAt)
            } catch (error) {
              core.log.error({ err: error, phone: phoneId }, 'could not read the answer of a batch')
              return unknownEnd({ code: 'internal_error', message: notRead }, endedAt)
            }
          })
        },
        unknown(error) {
          const endedAt = core.clock.now()
          return end(() => Promise.resolve(unknownEnd(error, endedAt)))
        },
        refused() {
          clearTimeout(beginning)
          if (isBegun) enqueue(phoneId, () => Promise.resolve(stepDrop(core, step.id)))
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
      screens.flush(of.phoneId)
      enqueue(of.phoneId, () => Promise.resolve(stepWrite(core, step, ending)))
      await settled(of.phoneId)
    },

    async close() {
      screens.close()
      await queue.idle()
      await writer.close()
    },
  }
}

function statusOf(results: readonly ActionResult[], completed: number, count: number): StepEnd['status'] {
  const failed = results.find(({ ok }) => !ok)
  if (failed) return failed.error?.code === 'action_outcome_unknown' ? 'unknown' : 'failed'
  return completed < count ? 'stopped' : 'succeeded'
}

/** The snapshots that the actions' targets name. */
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
 * Milliseconds for which a batch runs before its beginning is written. A shorter batch is written once, with
 * its end, so that it needs one commit instead of two.
 */
const beginAfterMs = 10
const notRead = 'The answer of the batch could not be read.'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
