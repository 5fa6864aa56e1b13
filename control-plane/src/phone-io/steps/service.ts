/** Implements `StepService`. */
import { ApiError, isId, limits } from '@phonerack/shared'
import { type Caller } from '../../base/core/caller.js'
import { type Core } from '../../base/core/core.js'
import { permitted } from '../../rental/phones/access.js'
import { readPhone } from '../../rental/phones/records.js'
import { StoredFileMissing, type FileStore } from '../../files/storage/file-store.js'
import { exportSteps } from './export.js'
import { stepJson } from './json.js'
import {
  inflate,
  inflatePage,
  lastSession,
  pictureOf,
  readScreens,
  readStep,
  readStepsBefore,
  screenIds,
  viewOf,
  type Screens,
  type StepRow,
} from './reads.js'
import { type ScreenPart, type StepService } from './types.js'

const stepsRequest = (phoneId: string): string => `GET /v1/phones/${phoneId}/steps`

const noPicture = (phoneId: string, id: string): ApiError =>
  new ApiError('step_not_found', {
    message: 'The step has no picture.',
    details: { step: id },
    next: `GET /v1/phones/${phoneId}/steps/${id}`,
  })

const stepNotFound = (phoneId: string, id: string): ApiError =>
  new ApiError('step_not_found', { details: { step: id }, next: stepsRequest(phoneId) })

/** @param settled resolves when this replica has written the steps of a phone that it answered */
export function createStepService(
  core: Core,
  store: FileStore,
  settled: (phoneId: string) => Promise<void>,
): StepService {
  const allowed = async (caller: Caller, phoneId: string): Promise<void> => {
    permitted(caller, phoneId, await readPhone(core.read, phoneId))
    await settled(phoneId)
  }
  const find = async (caller: Caller, phoneId: string, id: string): Promise<StepRow> => {
    await allowed(caller, phoneId)
    const row = isId('step', id) ? await readStep(core, phoneId, id) : null
    if (!row) throw stepNotFound(phoneId, id)
    return row
  }
  const screensOf = (phoneId: string, rows: readonly StepRow[], part: ScreenPart): Promise<Screens> =>
    readScreens(core, phoneId, part === 'none' ? [] : screenIds(rows))
  return {
    async list(caller, phoneId, sessionId, { limit, cursor, part }) {
      await allowed(caller, phoneId)
      const scope = { projectId: caller.projectId, list: `steps:${phoneId}` }
      const before = core.cursors.decode(scope, cursor)
      const rows = await readStepsBefore(core, { phoneId, sessionId }, before, limit + 1)
      const shown = inflatePage(rows.slice(0, limit), limits.steps.pageBytes, part !== 'none')
      const andOneMore = rows.slice(0, shown.length + 1)
      const { data, nextCursor } = core.cursors.toPage(
        scope,
        andOneMore,
        shown.length,
        (row) => ({ at: row.startedAt, id: row.id }),
        (row) => row,
      )
      const screens = await screensOf(phoneId, data, part)
      return { data: shown.map((step) => stepJson(viewOf(core, step, screens), part)), nextCursor }
    },

    async get(caller, phoneId, id, part) {
      const row = await find(caller, phoneId, id)
      return stepJson(viewOf(core, inflate(row), await screensOf(phoneId, [row], part)), part)
    },

    async picture(caller, phoneId, id) {
      const row = await find(caller, phoneId, id)
      const picture = pictureOf(row)
      if (row.pictureId === null || picture === null) throw noPicture(phoneId, id)
      try {
        return { stream: await store.read(row.pictureId), picture }
      } catch (error) {
        if (error instanceof StoredFileMissing) throw noPicture(phoneId, id)
        throw error
      }
    },

    async export(caller, phoneId, sessionId, form) {
      await allowed(caller, phoneId)
      const session = sessionId ?? (await lastSession(core, phoneId))
      const [first] =
        session === null ? [] : await readStepsBefore(core, { phoneId, sessionId: session }, null, 1)
      if (session === null || !first)
        throw new ApiError('step_not_found', {
          message:
            sessionId === null
              ? 'The phone has no steps.'
              : 'The session has no steps, or they have expired.',
          details: { phone: phoneId, ...(sessionId === null ? {} : { session: sessionId }) },
          next: stepsRequest(phoneId),
        })
      return { sessionId: session, chunks: exportSteps(core, store, { phoneId, sessionId: session }, form) }
    },
  }
}
