/** Terminals that wait for their first key: a member approves or denies them by their code. */
import { ApiError } from '@phonerack/shared'
import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { parseBody } from '../../http/parse-body.js'
import { codeSchema, denySetup } from '../../setup/decision.js'
import { allowTerminal, lookAtTerminal } from '../../setup/member-decision.js'
import { countAttempt } from '../../users/attempts.js'
import { asUser } from '../../users/work.js'
import { actorOf, apiPath, projectOf, signedInOf, type GateDeps } from './gate.js'

/** Codes that a user may try; a code has 40 random bits. */
const perUser = { max: 20, window: 60 }

export function addTerminals(app: FastifyInstance, { core }: GateDeps): void {
  const codeOf = async (request: FastifyRequest): Promise<string> => {
    const { user_code: code } = parseBody(codeSchema, request)
    const seconds = await countAttempt(core.db, `terminal ${signedInOf(request).user.id}`, perUser)
    if (seconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds: seconds })
    return code
  }
  app.post(`${apiPath}/terminals/look`, async (request) => lookAtTerminal(core, await codeOf(request)))
  app.post(`${apiPath}/terminals/deny`, async (request) => {
    const code = await codeOf(request)
    return asUser(core, actorOf(request), 'setup.deny', (work) => denySetup(work, code))
  })
  app.post(`${apiPath}/projects/:project/terminals/allow`, async (request) => {
    const code = await codeOf(request)
    const { id } = projectOf(request)
    return asUser(core, actorOf(request), 'setup.allow', (work) => allowTerminal(work, code, id))
  })
}
