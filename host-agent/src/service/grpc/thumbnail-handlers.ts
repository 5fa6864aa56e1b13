/** HostService: thumbnails. */
import { ThumbnailAbsence, type HostServiceServer } from '@phonerack/proto'
import type { Logger } from '@phonerack/shared'
import type { Registry } from '../../devices/registry.js'
import type { Absence } from '../../devices/thumbnails.js'
import { callerOf, unary } from './call.js'

const absences: Readonly<Record<Absence, ThumbnailAbsence>> = {
  busy: ThumbnailAbsence.THUMBNAIL_ABSENCE_BUSY,
  typed: ThumbnailAbsence.THUMBNAIL_ABSENCE_TYPED,
  secure: ThumbnailAbsence.THUMBNAIL_ABSENCE_SECURE,
  asleep: ThumbnailAbsence.THUMBNAIL_ABSENCE_ASLEEP,
  unreadable: ThumbnailAbsence.THUMBNAIL_ABSENCE_UNREADABLE,
}

const nothing = Buffer.alloc(0)

export const createThumbnailHandlers = (
  registry: Registry,
  log: Logger,
): Pick<HostServiceServer, 'thumbnail'> => ({
  thumbnail: unary(log, 'Thumbnail', async ({ assignment, knownTag, withTyped }, progress) => {
    const caller = callerOf(assignment)
    const taken = await registry.thumbnails(caller.serial).take(caller, withTyped, progress)
    if (typeof taken === 'string') return { image: nothing, tag: '', absence: absences[taken] }
    const { image, tag } = taken
    return {
      image: tag === knownTag ? nothing : image,
      tag,
      absence: ThumbnailAbsence.THUMBNAIL_ABSENCE_UNSPECIFIED,
    }
  }),
})
