/**
 * Collects what a person does in a live view to steps: touches, keys and text, until a pause or twenty of them. They have no
 * results, since the phone does not answer them.
 */
import { limits, newId, type Action } from '@phonerack/shared'
import { Prisma } from '../gen/prisma/client.js'
import { type StepSettings } from '../core/caller.js'
import { type Core } from '../core/core.js'
import { createGestures, type Gestures, type LiveInput } from './gestures.js'
import { type StepRecorder } from './recorder.js'

/** The link of a live view. */
export interface LiveLink {
  projectId: string
  phoneId: string
  keyId: string
}

export interface LiveSteps {
  input(link: LiveLink, input: LiveInput): void
  close(): Promise<void>
}

interface Open {
  link: LiveLink
  startedAt: Date
  gestures: Gestures
  timer: NodeJS.Timeout
}

export function createLiveSteps(core: Core, recorder: StepRecorder): LiveSteps {
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
      await recorder.touched(
        {
          ...{ projectId: link.projectId, phoneId: link.phoneId, keyId: link.keyId, settings },
          ...{ requestId: newId('request'), via: 'live', client: null, observe: null },
          actions: actions as unknown as Action[],
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
      let now = open.get(key)
      if (!now) {
        now = {
          ...{ link, startedAt: core.clock.now(), gestures: createGestures() },
          timer: setTimeout(() => void end(key), limits.steps.liveIdle),
        }
        open.set(key, now)
      } else now.timer.refresh()
      now.gestures.add(input, performance.now())
      if (now.gestures.count >= limits.steps.liveActions) void end(key)
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
