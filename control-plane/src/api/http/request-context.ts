/**
 * Gives every request its IDs in the log lines of its work, and its span while tracing is on. Add it before all other hooks.
 * docs/decisions/0255
 */
import { idPattern, withCallFields, type CallFields } from '@phonerack/shared'
import {
  attributesOf,
  failSpan,
  openRequestSpan,
  traceHeader,
  type OpenSpan,
} from '@phonerack/shared/tracing'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export interface RequestWork {
  fields: CallFields
  open: OpenSpan | null
}

const phonePattern = idPattern('phone')

export function addRequestContext(app: FastifyInstance): void {
  app.decorateRequest('work', null)
  app.addHook('onRequest', (request, _reply, done) => {
    const fields: CallFields = { request_id: request.id }
    const phone = phoneOf(request)
    if (phone !== null) fields.phone = phone
    request.work = { fields, open: openSpan(request, fields) }
    enter(request.work, done)
  })
  // The socket calls this hook outside of the request's async context.
  app.addHook('onResponse', (request, reply, done) => {
    const { work } = request
    if (work === null) return done()
    if (work.open) endSpan(work.open, request, reply)
    enter(work, done)
  })
}

const enter = ({ fields, open }: RequestWork, next: () => void): void =>
  withCallFields(fields, open === null ? next : () => open.run(next))

/** Returns the phone ID in the path. Any other text in that place was chosen by the client. */
function phoneOf({ params }: FastifyRequest): string | null {
  const { id } = params as { id?: unknown }
  return typeof id === 'string' && phonePattern.test(id) ? id : null
}

const openSpan = (request: FastifyRequest, fields: CallFields): OpenSpan | null =>
  openRequestSpan(() => {
    const { method } = request
    // The client chooses the text of paths without a route.
    const route = request.is404 ? undefined : request.routeOptions.url
    const header = request.headers[traceHeader]
    return {
      name: route === undefined ? method : `${method} ${route}`,
      header: typeof header === 'string' ? header : undefined,
      attributes: {
        'http.request.method': method,
        ...(route === undefined ? {} : { 'http.route': route }),
        ...attributesOf(fields),
      },
    }
  })

function endSpan({ span }: OpenSpan, request: FastifyRequest, reply: FastifyReply): void {
  span.setAttribute('http.response.status_code', reply.statusCode)
  // A refusal is a correct answer, so only 5xx responses mark the span as failed.
  if (reply.statusCode >= 500) failSpan(span, request.errorCode ?? String(reply.statusCode))
  else if (request.errorCode !== null) span.setAttribute('error.type', request.errorCode)
  span.end()
}
