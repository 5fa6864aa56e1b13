/**
 * Event numbers that clients hold: cursors of the list, and positions of streams. The numbers count the events of all
 * projects, so they are encrypted, with the same length for every number.
 */
import { ApiError } from '@phonerack/shared'
import { type CursorScope, type Position } from '../../base/core/cursor.js'
import { type Core } from '../../base/core/core.js'
import { validationFailed } from '../../base/validation/validation-error.js'

const digits = 19

export const listScope = (projectId: string): CursorScope => ({ projectId, list: 'events', isSealed: true })

export const listPosition = ({ number, createdAt }: { number: bigint; createdAt: Date }): Position => ({
  at: createdAt,
  id: padded(number),
})

/** A place in the stream of one project. */
interface StreamPosition {
  number: bigint
  /** The epoch identifies the database that assigned the number. */
  epoch: string
}

const streamScope = (projectId: string): CursorScope => ({ projectId, list: 'event stream', isSealed: true })

/** The ID of a position, for a client that has received no event after it. */
export const positionId = (core: Core, projectId: string, { number, epoch }: StreamPosition): string =>
  core.cursors.encode(streamScope(projectId), { at: new Date(0), id: `${padded(number)} ${epoch}` })

/** @throws ApiError validation_failed */
export function positionIn(core: Core, projectId: string, id: string): StreamPosition {
  try {
    const [number = '', epoch = ''] = core.cursors.decode(streamScope(projectId), id)?.id.split(' ') ?? []
    return { number: BigInt(number), epoch }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw validationFailed('headers', [
      { path: ['last-event-id'], message: 'must be the `id` of an event of this stream', code: 'invalid_id' },
    ])
  }
}

const padded = (number: bigint): string => number.toString().padStart(digits, '0')
