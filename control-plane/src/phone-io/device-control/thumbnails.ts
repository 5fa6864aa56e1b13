/** Implements `ThumbnailService`. docs/decisions/0297 */
import { ThumbnailAbsence, type ThumbnailRequest, type ThumbnailResponse } from '@phonerack/proto'
import { Progress } from '@phonerack/shared'
import { Prisma } from '../../gen/prisma/client.js'
import { type CallContext } from '../../base/core/caller.js'
import { type Core } from '../../base/core/core.js'
import { callHost } from '../../links/host-calls/calls.js'
import { type HostClients } from '../../links/host-calls/clients.js'
import { unattendedTarget, type Target } from '../../rental/phones/target.js'
import { assignmentOf } from '../../rental/devices/placement.js'
import { readFailure } from './reads.js'
import { type ThumbnailAbsenceName, type ThumbnailService, type ThumbnailView } from './types.js'

/** Milliseconds for the whole request. */
const totalMs = 6000

const absences: Readonly<Record<ThumbnailAbsence, ThumbnailAbsenceName>> = {
  [ThumbnailAbsence.THUMBNAIL_ABSENCE_UNSPECIFIED]: 'unreadable',
  [ThumbnailAbsence.THUMBNAIL_ABSENCE_BUSY]: 'busy',
  [ThumbnailAbsence.THUMBNAIL_ABSENCE_TYPED]: 'typed',
  [ThumbnailAbsence.THUMBNAIL_ABSENCE_SECURE]: 'secure',
  [ThumbnailAbsence.THUMBNAIL_ABSENCE_ASLEEP]: 'asleep',
  [ThumbnailAbsence.THUMBNAIL_ABSENCE_UNREADABLE]: 'unreadable',
}

/** @param hasTyped whether text was typed on the phone through this replica in the last minutes */
export function createThumbnailService(
  core: Core,
  hosts: HostClients,
  hasTyped: (phoneId: string) => boolean,
): ThumbnailService {
  const ask = async (
    phoneId: string,
    target: Target,
    asked: Omit<ThumbnailRequest, 'assignment'>,
    { context, progress }: { context: CallContext; progress: Progress },
  ): Promise<ThumbnailView> => {
    const { image, tag, absence } = await callHost<ThumbnailRequest, ThumbnailResponse>(
      target.connection,
      (client, ...rest) => client.thumbnail(...rest),
      { assignment: assignmentOf(phoneId, target, context.requestId), ...asked },
      progress,
    )
    if (tag === '') return { kind: 'none', why: absences[absence] }
    if (image.length > 0) return { kind: 'picture', image, tag }
    return tag === asked.knownTag ? { kind: 'unchanged', tag } : { kind: 'none', why: 'unreadable' }
  }
  const take = async (...[caller, phoneId, knownTag, context]: Taken): Promise<ThumbnailView> => {
    const to = { context, progress: Progress.for(totalMs, context.signal) }
    const target = await unattendedTarget(core, hosts, caller, phoneId, context.signal)
    const found: ThumbnailView = hasTyped(phoneId)
      ? { kind: 'none', why: 'typed' }
      : await ask(phoneId, target, { knownTag, withTyped: false }, to)
    // Projects whose steps keep typed text also show it in thumbnails. Most answers need no read of the project.
    const isTyped = found.kind === 'none' && found.why === 'typed'
    if (!isTyped || !(await keepsText(core, caller.projectId))) return found
    return ask(phoneId, target, { knownTag, withTyped: true }, to)
  }
  return {
    async take(...taken) {
      try {
        return await take(...taken)
      } catch (error) {
        throw readFailure(taken[1], error)
      }
    },
  }
}

type Taken = Parameters<ThumbnailService['take']>

async function keepsText({ read }: Core, projectId: string): Promise<boolean> {
  const [project] = await read<{ keeps: boolean }>(
    Prisma.sql`select steps_enabled and steps_text as keeps from projects where id = ${projectId}`,
  )
  return project?.keeps === true
}
