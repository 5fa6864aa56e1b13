/**
 * Writes what members do with phones, apps and webhooks to the activity list of the project, with the user in place of
 * a key. The audit log contains all other changes.
 */
import { type FastifyInstance } from 'fastify'
import { isChange, recordChange } from '../../http/activity.js'
import { projectPath, type ProjectDeps } from './caller.js'

const noted = [`${projectPath}/phones`, `${projectPath}/uploads`, `${projectPath}/webhooks`]
/** Opening a live view changes nothing. */
const views = new Set([`${projectPath}/phones/:phone/live`])

export function noteChanges(app: FastifyInstance, { core, services }: ProjectDeps): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { person } = request
    const route = request.routeOptions.url ?? ''
    const isNoted = noted.some((path) => route === path || route.startsWith(`${path}/`)) && !views.has(route)
    if (!person?.signedIn || !person.project || !isChange(request) || !isNoted) return done()
    // The page first asks for a recent sign-in, then repeats the request.
    if (request.errorCode === 'unauthorized') return done()
    const { phone } = request.params as { phone?: string }
    recordChange(services.activity, request, reply, {
      projectId: person.project.id,
      keyId: person.signedIn.user.id,
      at: core.clock.now(),
      phoneId: phone,
    })
    done()
  })
}
