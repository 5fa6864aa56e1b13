/** POST /v1/phones/{id}/actions */
import { actionBatchResultSchema, actionBatchSchema, limits } from '@phonerack/shared'
import { sendJson, type Route } from '../deps.js'
import { describeErrors, intoPhone } from '../errors.js'
import { phoneParams, postHeaders } from '../fields.js'
import { whileActive } from '../into-phone.js'
import { senderOf } from '../sender.js'

export const runActions: Route = (app, deps) => {
  app.post(
    '/phones/:id/actions',
    {
      bodyLimit: limits.actionsBody,
      schema: {
        operationId: 'runActions',
        summary: 'Run up to 20 actions in order',
        tags: ['screen'],
        params: phoneParams,
        headers: postHeaders,
        body: actionBatchSchema,
        response: {
          200: {
            description: 'The batch ran, whether or not every action succeeded.',
            content: { 'application/json': { schema: actionBatchResultSchema } },
          },
          ...describeErrors(
            'payload_too_large',
            'capacity_unavailable',
            'phone_controlled',
            'handoff_required',
            'shell_not_allowed',
            ...intoPhone,
          ),
        },
      },
      config: { scope: 'phones:control', tellsThatNothingRan: true },
    },
    async (request, reply) => {
      const { actions, observe, fresh, since } = request.body
      const { inProcess } = request
      const json = await whileActive(deps, request, reply, (caller, id, context) =>
        deps.services.deviceControl.runActions(
          caller,
          id,
          { actions, observe, fresh, since },
          { ...context, ...(inProcess ? { batch: inProcess.batch } : {}), sender: senderOf(request) },
        ),
      )
      return sendJson(reply, json)
    },
  )
}
