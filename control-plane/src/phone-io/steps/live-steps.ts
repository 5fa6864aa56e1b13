/**
 * Groups the input of a person in a live view into steps: touches, keys and text, until a pause or the limits of a
 * step. These steps have no results, since the phone does not answer input.
 */
import { limits, newId, type Action } from '@phonerack/shared'
import { Prisma } from '../../gen/prisma/client.js'
import { type StepSettings } from '../../base/core/caller.js'
import { type Core } from '../../base/core/core.js'
import { createGestures, typedBy, withoutPoints, type Gestures, type LiveInput } from './gestures.js'
import { type StepRecorder } from './recorder.js'

/** The link of a live view. */
interface LiveLink {
  projectId: string
  phoneId: string
  keyId: string
}

export interface LiveSteps {
  input(link: LiveLink, input: LiveInput): void
  close(): Promise<void>
}

/** The limits of a step, besides the number of its actions. Text without a pause is one action. */
export interface LiveEnds {
  /** Milliseconds without input. */
  idleMs: number
  /** Milliseconds since the step began. The step ends at most `idleMs` later. */
  longestMs: number
  /** Characters of text. */
  characters: number
}

const usual: LiveEnds = { idleMs: limits.steps.liveIdle, longestMs: 15_000, characters: 10_000 }

interface Open {
  link: LiveLink
  startedAt: Date
  /** When the step began, in milliseconds of the monotonic clock. */
  since: number
  gestures: Gestures
  timer: NodeJS.Timeout
}

export function createLiveSteps(core: Core, recorder: StepRecorder, ends: LiveEnds = usual): LiveSteps {
  const open = new Map<string, Open>()

  const end = async (key: string): Promise<void> => {
    const ended = open.get(key)
    if (!ended) return
    open.delete(key)
    clearTimeout(ended.timer)
    const { link, startedAt } = ended
    const actions = ended.gestures.take()
    if (actions.length === 0) return
    try {
      const settings = await readSettings(core, link.projectId)
      if (!settings) return
      const kept = settings.text ? actions : withoutPoints(actions)
      await recorder.touched(
        {
          projectId: link.projectId,
          phoneId: link.phoneId,
          keyId: link.keyId,
          settings,
          requestId: newId('request'),
          via: 'live',
          client: null,
          observe: null,
          actions: kept as unknown as Action[],
        },
        startedAt,
      )
    } catch (error) {
      core.log.warn({ err: error, phone: link.phoneId }, 'could not record touches of a live view')
    }
  }
  return {
    input(link, input) {
      const key = `${link.phoneId} ${link.keyId}`
      const now = performance.now()
      let step = open.get(key)
      if (!step) {
        step = {
          link,
          startedAt: core.clock.now(),
          since: now,
          gestures: createGestures(),
          timer: setTimeout(() => void end(key), ends.idleMs),
        }
        open.set(key, step)
      } else if (now - step.since < ends.longestMs) step.timer.refresh()
      // Steps of an agent that end before this step must not contain the text.
      const text = typedBy(input)
      if (text !== null) recorder.noteText(link.phoneId, text)
      const { gestures } = step
      gestures.add(input, now)
      if (gestures.count >= limits.steps.liveActions || gestures.characters >= ends.characters) void end(key)
    },
    async close() {
      await Promise.all([...open.keys()].map(end))
    },
  }
}

async function readSettings(core: Core, projectId: string): Promise<StepSettings | null> {
  const [row] = await core.db.$queryRaw<(StepSettings & { enabled: boolean })[]>(
    Prisma.sql`select steps_enabled as enabled, steps_text as text, steps_pictures as pictures
      from projects where id = ${projectId}`,
  )
  return row?.enabled ? { text: row.text, pictures: row.pictures } : null
}
