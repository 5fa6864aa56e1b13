/** GET /v1/phones/{id}/apps and DELETE /v1/phones/{id}/apps/{package} */
import { packageName } from '@phonerack/shared'
import { z } from 'zod'
import { findIssues } from '../../../base/validation/issues.js'
import { validationFailed } from '../../../base/validation/validation-error.js'
import { type Route } from '../deps.js'
import { changePhone, describeErrors, intoPhone } from '../errors.js'
import { noBody, phoneParams } from '../fields.js'
import { whileActive } from '../into-phone.js'

const appSchema = z.object({
  package: z.string(),
  label: z
    .string()
    .meta({ description: 'The name that the launcher shows, or the package if it shows none.' }),
  version_name: z.string(),
  version_code: z.int(),
  system: z.boolean().meta({ description: 'Whether the app is preinstalled.' }),
})

export const listApps: Route = (app, deps) => {
  app.get(
    '/phones/:id/apps',
    {
      schema: {
        operationId: 'listApps',
        summary: 'List installed apps',
        description: 'Lists the apps on the phone, including system apps.',
        tags: ['apps'],
        params: phoneParams,
        response: { 200: z.object({ data: z.array(appSchema) }), ...describeErrors(...intoPhone) },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const apps = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.packages.list(caller, id, context),
      )
      const data = apps.map(({ versionName, versionCode, ...rest }) => ({
        ...rest,
        version_name: versionName,
        version_code: versionCode,
      }))
      return { data }
    },
  )
}

export const packageParams = phoneParams.extend({
  package: packageName.meta({ description: 'The package name of the app.' }),
})

/** Checks path parameters. @throws ApiError validation_failed */
export function packageOf(params: { package: string }): string {
  const { issues } = findIssues(packageName, params.package)
  if (issues.length === 0) return params.package
  throw validationFailed(
    'params',
    issues.map((issue) => ({ ...issue, path: ['package'] })),
  )
}

export const uninstallApp: Route = (app, deps) => {
  app.delete(
    '/phones/:id/apps/:package',
    {
      schema: {
        operationId: 'uninstallApp',
        summary: 'Uninstall an app',
        description: 'Removes the app with its data and sign-ins. Preinstalled apps cannot be uninstalled.',
        tags: ['apps'],
        params: packageParams,
        body: noBody,
        response: {
          200: z.object({ package: z.string(), uninstalled: z.literal(true) }),
          ...describeErrors('payload_too_large', 'app_not_found', 'handoff_required', ...changePhone),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const name = packageOf(request.params)
      await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.packages.uninstall(caller, id, name, context),
      )
      return { package: name, uninstalled: true as const }
    },
  )
}
