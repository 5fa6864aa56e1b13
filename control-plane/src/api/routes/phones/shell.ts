/** POST /v1/phones/{id}/shell */
import { limits, shellCommand, shellInput, shellResultSchema } from '@phonerack/shared'
import { z } from 'zod'
import { type Route } from '../deps.js'
import { changePhone, describeErrors } from '../errors.js'
import { phoneParams, postHeaders } from '../fields.js'
import { whileActive } from '../into-phone.js'
import { senderOf } from '../sender.js'

const { min, max, default: usual } = limits.shell.timeout

export const shellBody = z.strictObject({
  command: shellCommand,
  timeout: z
    .number()
    .min(min)
    .max(max)
    .default(usual)
    .meta({ description: 'Seconds after which the command is ended.' }),
  stdin: shellInput.optional(),
})

export const runShell: Route = (app, deps) => {
  app.post(
    '/phones/:id/shell',
    {
      schema: {
        operationId: 'runShell',
        summary: 'Run a shell command',
        tags: ['device'],
        params: phoneParams,
        headers: postHeaders,
        body: shellBody,
        response: {
          200: shellResultSchema.meta({ id: 'ShellResult' }),
          ...describeErrors('validation_failed', 'payload_too_large', 'shell_not_allowed', ...changePhone),
        },
      },
      config: { scope: 'phones:control', tellsThatNothingRan: true },
    },
    async (request, reply) => {
      const { command, timeout, stdin } = request.body
      const action = {
        type: 'shell' as const,
        command,
        timeout_ms: Math.round(timeout * 1000),
        ...(stdin === undefined ? {} : { stdin }),
      }
      const { inProcess } = request
      return whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.deviceControl.shell(caller, id, action, {
          ...context,
          ...(inProcess ? { batch: inProcess.batch } : {}),
          sender: senderOf(request),
        }),
      )
    },
  )
}
