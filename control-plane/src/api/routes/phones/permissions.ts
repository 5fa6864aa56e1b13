/** POST /v1/phones/{id}/apps/{package}/permissions */
import { limits } from '@phonerack/shared'
import { z } from 'zod'
import { type Route } from '../deps.js'
import { changePhone, describeErrors } from '../errors.js'
import { postHeaders } from '../fields.js'
import { whileActive } from '../into-phone.js'
import { packageOf, packageParams } from './apps.js'

const names = z
  .array(
    z
      .string()
      .regex(
        /^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)+$/,
        'must be the full name of a permission, such as `android.permission.CAMERA`',
      )
      .max(255),
  )
  .max(limits.permissions)
  .default([])

const permissionsBody = z
  .strictObject({
    grant: names.meta({ description: 'The permissions to grant, such as `android.permission.CAMERA`.' }),
    revoke: names.meta({
      description: 'The permissions to revoke. Android may end an app that loses a permission.',
    }),
  })
  .refine(({ grant, revoke }) => grant.length + revoke.length > 0, {
    path: ['grant'],
    message: 'must name a permission unless `revoke` does',
  })
  .refine(({ grant, revoke }) => !grant.some((name) => revoke.includes(name)), {
    path: ['revoke'],
    message: 'must not name a permission of `grant`',
  })

export const setPermissions: Route = (app, deps) => {
  app.post(
    '/phones/:id/apps/:package/permissions',
    {
      schema: {
        operationId: 'setPermissions',
        summary: 'Grant and revoke permissions of an app',
        description:
          'Changes permissions that the app requests and that a person can grant, such as the camera. All names are checked before the first change. Returns the state of each permission as the phone reports it after the changes.',
        tags: ['apps'],
        params: packageParams,
        headers: postHeaders,
        body: permissionsBody,
        response: {
          200: z.object({
            package: z.string(),
            permissions: z.array(
              z.object({
                name: z.string(),
                granted: z
                  .boolean()
                  .meta({ description: 'The state that the phone reports after the change.' }),
              }),
            ),
          }),
          ...describeErrors('payload_too_large', 'app_not_found', 'handoff_required', ...changePhone),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const name = packageOf(request.params)
      const { grant, revoke } = request.body
      const permissions = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.reports.setPermissions(caller, id, name, { grant, revoke }, context),
      )
      return { package: name, permissions }
    },
  )
}
