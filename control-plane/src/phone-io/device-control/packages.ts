/** Implements `PackageService`: apps on a ready phone. */
import {
  type ListAppsRequest,
  type ListAppsResponse,
  type UninstallAppRequest,
  type UninstallAppResponse,
} from '@phonerack/proto'
import { type HostClients } from '../../links/host-calls/clients.js'
import { type Core } from '../../base/core/core.js'
import { checkAppChange } from '../../rental/phones/left-to-person.js'
import { createPhoneCalls } from './phone-calls.js'
import { type PackageService } from './types.js'

export function createPackageService(core: Core, hosts: HostClients): PackageService {
  const reach = createPhoneCalls(core, hosts)
  return {
    async list(caller, phoneId, context) {
      const { apps } = await reach.read<ListAppsRequest, ListAppsResponse>(
        { caller, phoneId, context },
        (client, ...rest) => client.listApps(...rest),
        (assignment) => ({ assignment }),
      )
      return apps.map(({ versionCode, ...app }) => ({ ...app, versionCode: Number(versionCode) }))
    },

    async uninstall(caller, phoneId, packageName, context) {
      checkAppChange(caller, phoneId, packageName)
      await reach.write<UninstallAppRequest, UninstallAppResponse>(
        { caller, phoneId, context },
        (client, ...rest) => client.uninstallApp(...rest),
        (assignment) => ({ assignment, package: packageName }),
        `GET /v1/phones/${phoneId}/apps`,
      )
    },
  }
}
