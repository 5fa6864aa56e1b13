/** Schemas of events. */
import { z } from 'zod'
import { eventTypes } from '../../../events/events/types.js'
import { id, openEnum, timestamp } from '../schemas.js'

/** The list of types, for descriptions. */
const typeList = eventTypes.join(', ')

export const eventSchema = z
  .object({
    id: id('event'),
    object: z.literal('event'),
    type: openEnum(eventTypes, `One of ${typeList}.`),
    created_at: timestamp,
    phone_id: id('phone')
      .nullable()
      .meta({ description: 'Null for events of uploads, of the credit and of webhooks.' }),
    data: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .meta({
        description:
          'The changed object at the time of the change, under the name of its kind: `phone`, `session`, `balance`, `install`, `upload`, `recording`, `handoff`, `crash`, `notification` or `webhook`. Fields may be added. The object never contains text that a person typed.',
      }),
  })
  .meta({ id: 'Event' })

export const eventPageSchema = z
  .object({
    data: z.array(eventSchema),
    next_cursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
  })
  .meta({ id: 'EventPage' })
