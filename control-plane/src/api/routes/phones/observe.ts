/** GET /v1/phones/{id}/observe: the screen as elements, or as text. */
import {
  changesSchema,
  limits,
  observationSchema,
  snapshotId,
  wholeObservationSchema,
} from '@phonerack/shared'
import { z } from 'zod'
import { foldRows } from '../../http/fold-rows.js'
import { sendJson, type Route } from '../deps.js'
import { describeErrors, intoPhone } from '../errors.js'
import { phoneParams } from '../fields.js'
import { whileActive } from '../into-phone.js'

const { minWidth, maxWidth } = limits.screenshot

export const maxWidthField = z
  .int()
  .min(minWidth)
  .max(maxWidth)
  .optional()
  .meta({ description: 'Maximum width of the screenshot in pixels. The screen width if omitted.' })

const observeQuery = z.object({
  screenshot: z
    .enum(['none', 'jpeg', 'png'])
    .default('none')
    .meta({ description: 'Adds a screenshot, encoded as Base64.' }),
  max_width: maxWidthField,
  format: z
    .enum(['json', 'text'])
    .default('json')
    .meta({ description: '`text` returns only the compact text form, never a screenshot.' }),
  since: snapshotId
    .optional()
    .meta({
      description:
        'The `snapshot_id` of an earlier observation. The answer is then `Changes`, which has the changes since that snapshot. The answer is `WholeObservation` when more than about 60 % of the elements changed, another app or window is in the foreground, or the snapshot is unknown or expired.',
    }),
  fold: z
    .enum(['true', 'false'])
    .default('false')
    .meta({
      description:
        'For `format=text`: `true` shortens long lists to their first 12 rows and a line such as `… 18 more rows like [16]`.',
    }),
  fresh: z
    .enum(['true', 'false'])
    .default('false')
    .meta({
      description:
        '`true` reads the elements again even if nothing was drawn since the last read. Set it only for changes that draw nothing, such as a new content description.',
    }),
})

export const observe: Route = (app, deps) => {
  app.get(
    '/phones/:id/observe',
    {
      schema: {
        operationId: 'observe',
        summary: 'Read the screen as numbered elements',
        tags: ['screen'],
        params: phoneParams,
        querystring: observeQuery,
        response: {
          200: {
            description:
              'The observation. With `format=text`, the body is only its text: `X-Snapshot-Id` is the snapshot ID, and `X-Settled` is `true`, `false` or `null`.',
            content: {
              'application/json': {
                schema: z.union([observationSchema, changesSchema, wholeObservationSchema]),
              },
              'text/plain': { schema: z.string() },
            },
          },
          ...describeErrors(...intoPhone),
        },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const { screenshot, max_width: width = null, format, fold, fresh, since } = request.query
      const asText = format === 'text'
      const image =
        asText || screenshot === 'none' ? null : { format: screenshot, maxWidth: width, quality: null }
      const seen = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.deviceControl.observe(caller, id, image, context, { fresh: fresh === 'true', since }),
      )
      if (!asText) return sendJson(reply, seen.json)
      return reply
        .headers({ 'x-snapshot-id': seen.snapshotId, 'x-settled': String(seen.settled) })
        .type('text/plain; charset=utf-8')
        .send(fold === 'true' ? foldRows(seen.text) : seen.text)
    },
  )
}
