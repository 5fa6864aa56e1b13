/** GET /v1/phones/{id}/screenshot */
import { limits } from '@phonerack/shared'
import { z } from 'zod'
import { sendBytes, type Route } from '../deps.js'
import { describeErrors, intoPhone } from '../errors.js'
import { phoneParams } from '../fields.js'
import { whileActive } from '../into-phone.js'
import { maxWidthField } from './observe.js'

const { minQuality, maxQuality, defaultQuality } = limits.screenshot

const screenshotQuery = z.object({
  format: z.enum(['png', 'jpeg']).default('png').meta({ description: 'The image format.' }),
  max_width: maxWidthField,
  quality: z
    .int()
    .min(minQuality)
    .max(maxQuality)
    .default(defaultQuality)
    .meta({ description: 'The quality of a JPEG image.' }),
  annotate: z
    .enum(['true', 'false'])
    .default('false')
    .meta({
      description:
        'Draws a frame around each element with its `ref` as the number. Actions can target a `ref` together with the snapshot in `X-Snapshot-Id`.',
    }),
})

const image = z.string().meta({ format: 'binary' })

export const screenshot: Route = (app, deps) => {
  app.get(
    '/phones/:id/screenshot',
    {
      schema: {
        operationId: 'screenshot',
        summary: 'Take a screenshot',
        tags: ['screen'],
        params: phoneParams,
        querystring: screenshotQuery,
        response: {
          200: {
            description:
              'The image. `X-Screen-Width` and `X-Screen-Height` are device pixels; divide an image point by `X-Screen-Scale` to get device pixels.',
            content: { 'image/png': { schema: image }, 'image/jpeg': { schema: image } },
          },
          ...describeErrors(...intoPhone),
        },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const { format, max_width: maxWidth = null, quality, annotate } = request.query
      const shot = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.deviceControl.screenshot(
          caller,
          id,
          {
            format,
            maxWidth,
            quality: format === 'jpeg' ? quality : null,
            ...(annotate === 'true' ? { annotate: true } : {}),
          },
          context,
        ),
      )
      reply.headers({
        'x-screen-width': String(shot.screenWidth),
        'x-screen-height': String(shot.screenHeight),
        'x-screen-scale': shot.scale.toFixed(6),
        ...(shot.secure ? { 'x-screen-secure': 'true' } : {}),
        ...(shot.snapshotId === '' ? {} : { 'x-snapshot-id': shot.snapshotId }),
      })
      return sendBytes(reply, `image/${format}`, shot.image)
    },
  )
}
