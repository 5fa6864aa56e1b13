/** `/console` and `/console/api`. docs/decisions/0285 */
import { type FastifyPluginAsync } from 'fastify'
import { addConsoleGate, type GateDeps } from './gate.js'
import { addConsolePages } from './pages.js'
import { addPasswords } from './passwords.js'
import { addPeople } from './people.js'
import { addProjects, type ProjectDeps } from './projects.js'
import { addSignIn } from './sign-in.js'
import { addTerminals } from './terminals.js'

/** @param deps `baseUrl`: the address of `/v1` */
export const consolePlugin =
  (deps: GateDeps & ProjectDeps & { baseUrl: string }): FastifyPluginAsync =>
  async (app) => {
    addConsolePages(app)
    await app.register((api) => {
      // A route of the API is not part of the public contract.
      api.addHook('onRoute', (route) => {
        route.schema = { ...route.schema, hide: true }
      })
      addConsoleGate(api, deps)
      addSignIn(api, deps)
      addPasswords(api, deps)
      addPeople(api, deps)
      addProjects(api, deps)
      addTerminals(api, deps)
      return Promise.resolve()
    })
  }
