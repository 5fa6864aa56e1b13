/** `/console/api`. docs/decisions/0285 */
import { type FastifyPluginAsync } from 'fastify'
import { addActivity } from './activity.js'
import { addAllPhones } from './all-phones.js'
import { addApps } from './apps.js'
import { addChanges } from './changes.js'
import { addCheckouts } from './checkouts.js'
import { addConnectors, type ConnectorDeps } from './connectors.js'
import { addConsoleGate } from './gate.js'
import { addOperatorPages, type OperatorDeps } from './operators.js'
import { addProjectLimits } from './limits.js'
import { addPasswords } from './passwords.js'
import { addPeople } from './people.js'
import { type ProjectDeps } from './caller.js'
import { addControl } from './control.js'
import { addDevice } from './device.js'
import { addEvents } from './events.js'
import { addHandoffs } from './handoffs.js'
import { noteChanges } from './note-changes.js'
import { addPhone } from './phone.js'
import { addProjects } from './projects.js'
import { addProviders } from './providers.js'
import { addRecordings } from './recordings.js'
import { addSignIn } from './sign-in.js'
import { addSignUp } from './sign-up.js'
import { addStorage } from './storage.js'
import { addThumbnails } from './thumbnails.js'
import { addTerminals } from './terminals.js'
import { addUsage } from './usage.js'
import { addWebhooks } from './webhooks.js'

export type ConsoleDeps = ProjectDeps & OperatorDeps & { connectors: ConnectorDeps }

export const consolePlugin =
  (deps: ConsoleDeps): FastifyPluginAsync =>
  (api) => {
    // The routes of the console are not part of the public API.
    api.addHook('onRoute', (route) => {
      route.schema = { ...route.schema, hide: true }
    })
    addConsoleGate(api, deps)
    noteChanges(api, deps)
    addSignIn(api, deps)
    addProviders(api, deps)
    addSignUp(api, deps)
    addPasswords(api, deps)
    addPeople(api, deps)
    addProjects(api, deps)
    addAllPhones(api, deps)
    addPhone(api, deps)
    addControl(api, deps)
    addHandoffs(api, deps)
    addApps(api, deps)
    addRecordings(api, deps)
    addDevice(api, deps)
    addThumbnails(api, deps)
    addStorage(api, deps)
    addActivity(api, deps)
    addEvents(api, deps)
    addWebhooks(api, deps)
    addChanges(api, deps)
    addUsage(api, deps)
    addProjectLimits(api, deps)
    addCheckouts(api, deps)
    addTerminals(api, deps)
    addConnectors(api, deps)
    if (deps.config.hasOperatorPages) addOperatorPages(api, deps)
    return Promise.resolve()
  }
