/** Terminals that wait for their first key. A member enters the code of a terminal, then approves or denies it. */
import { ApiError } from '@phonerack/shared'
import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { keyRightsSchema } from '../../../fleet/operator/keys.js'
import { codeSchema, denySetup } from '../../../people/setup/decision.js'
import { allowTerminal, lookAtTerminal } from '../../../people/setup/member-decision.js'
import { countAttempt } from '../../../people/users/attempts.js'
import { asUser } from '../../../people/users/work.js'
import { actorOf, projectOf, signedInOf, type GateDeps } from './gate.js'
import { terminalAnswer } from '../operator/answers.js'
import { route } from './route.js'

/** Limits the codes that a user may try. A code has 40 random bits. */
const perUser = { max: 20, window: 60 }

const allowSchema = codeSchema.extend(keyRightsSchema.shape)

export function addTerminals(app: FastifyInstance, { core }: GateDeps): void {
  const countedCode = async (request: FastifyRequest, code: string): Promise<string> => {
    const seconds = await countAttempt(core.db, `terminal ${signedInOf(request).user.id}`, perUser)
    if (seconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds: seconds })
    return code
  }
  const codeOf = (request: FastifyRequest<{ Body: { user_code: string } }>) =>
    countedCode(request, request.body.user_code)
  route(app, 'POST /terminals/look', { body: codeSchema, answer: terminalAnswer }, async (request) =>
    lookAtTerminal(core, await codeOf(request)),
  )
  route(app, 'POST /terminals/deny', { body: codeSchema }, async (request) => {
    const code = await codeOf(request)
    return asUser(core, actorOf(request), 'setup.deny', (work) => denySetup(work, code))
  })
  route(app, 'POST /projects/:project/terminals/allow', { body: allowSchema }, async (request) => {
    const { user_code: typed, ...rights } = request.body
    const code = await countedCode(request, typed)
    const { id } = projectOf(request)
    return asUser(core, actorOf(request), 'setup.allow', (work) => allowTerminal(work, code, id, rights))
  })
}
