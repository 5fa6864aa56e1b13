/**
 * The operators' pages. Routes call the services behind `/operator/v1` in the name of the user. docs/decisions/0291
 */
import { type FastifyInstance } from 'fastify'
import { addOperatorDevices } from './operators/devices.js'
import { addOperatorHosts, type HostDeps } from './operators/hosts.js'
import { addOperatorLibrary, type LibraryDeps } from './operators/library.js'
import { addOperatorService, type ServiceDeps } from './operators/service.js'

export type OperatorDeps = HostDeps & LibraryDeps & ServiceDeps

export function addOperatorPages(app: FastifyInstance, deps: OperatorDeps): void {
  addOperatorHosts(app, deps)
  addOperatorDevices(app, deps)
  addOperatorLibrary(app, deps)
  addOperatorService(app, deps)
}
