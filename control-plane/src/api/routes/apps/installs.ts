/** POST /v1/phones/{id}/apps and GET /v1/phones/{id}/apps/installs: installs, which run in the background. */
import { packageName } from '@phonerack/shared'
import { z } from 'zod'
import { callerOf } from '../../http/auth.js'
import { phoneIdOf, type Route } from '../deps.js'
import { changePhone, describeErrors } from '../errors.js'
import { phoneParams, postHeaders } from '../fields.js'
import { whileActive } from '../into-phone.js'
import { noteActivity } from '../lifecycle.js'
import { installJson, installsSchema, startedInstallJson, startedInstallSchema } from './schemas.js'
import { type InstallSource } from '../../../phone-io/installs/types.js'

const installBody = z
  .strictObject({
    package: packageName.optional().meta({ description: 'The package of an app in the library.' }),
    upload: z.string().max(100).optional().meta({ description: 'The ID of an upload.' }),
    replace: z
      .boolean()
      .optional()
      .meta({
        description: 'Only with `upload`: removes the installed app with its data first. `false` if omitted.',
      }),
  })
  .refine((body) => (body.package === undefined) !== (body.upload === undefined), {
    message: 'must have exactly one of `package` and `upload`',
  })
  .refine((body) => body.replace === undefined || body.upload !== undefined, {
    path: ['replace'],
    message: 'must not be given without `upload`',
  })

function sourceOf(body: z.output<typeof installBody>): InstallSource {
  const { package: name = '', upload, replace = false } = body
  return upload === undefined ? { package: name } : { upload, replace }
}

export const installApp: Route = (app, deps) => {
  app.post(
    '/phones/:id/apps',
    {
      schema: {
        operationId: 'installApp',
        summary: 'Install an app',
        description:
          'The install runs in the background. `GET /v1/phones/{id}/apps/installs` shows its progress and outcome.',
        tags: ['apps'],
        params: phoneParams,
        headers: postHeaders,
        body: installBody,
        response: {
          202: startedInstallSchema,
          ...describeErrors(
            'payload_too_large',
            'upload_not_found',
            'upload_not_ready',
            'version_downgrade',
            'install_in_progress',
            'app_not_available',
            'install_failed',
            'handoff_required',
            ...changePhone,
          ),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const install = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.installs.start(caller, id, sourceOf(request.body), context),
      )
      return reply.code(202).send(startedInstallJson(install))
    },
  )
}

export const listInstalls: Route = (app, deps) => {
  app.get(
    '/phones/:id/apps/installs',
    {
      schema: {
        operationId: 'listInstalls',
        summary: 'List recent installs, newest first',
        tags: ['apps'],
        params: phoneParams,
        response: { 200: installsSchema, ...describeErrors('phone_not_found', 'phone_not_allowed') },
      },
      config: { scope: 'phones:read' },
    },
    async (request) => {
      const id = phoneIdOf(request.params)
      const installs = await deps.services.installs.list(callerOf(request), id)
      await noteActivity(deps, request, id)
      return { data: installs.map(installJson) }
    },
  )
}
