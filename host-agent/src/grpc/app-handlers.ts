/** HostService: apps of the phone. */
import type { HostServiceServer } from '@phonerack/proto'
import { ApiError, type Logger } from '@phonerack/shared'
import type { Registry } from '../phone/registry.js'
import { callerOf, need, unary } from './call.js'
import { toServiceError } from './errors.js'

type AppCalls = Pick<
  HostServiceServer,
  'listApps' | 'beginInstall' | 'putPackageFile' | 'finishInstall' | 'uninstallApp'
>

/** No phone of this agent takes installs. */
const notOffered = (): ApiError => new ApiError('feature_unavailable', { details: { feature: 'apps' } })

export function createAppHandlers(registry: Registry, log: Logger): AppCalls {
  return {
    listApps: unary(log, 'ListApps', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      const apps = await registry
        .phone(caller.serial)
        .read(caller, progress, (device, within) => need(device.packages, 'apps').list(within))
      return { apps: apps.map((app) => ({ ...app, versionCode: BigInt(app.versionCode) })) }
    }),
    beginInstall: unary(log, 'BeginInstall', () => Promise.reject(notOffered())),
    putPackageFile: (call, callback) => {
      call.resume()
      callback(toServiceError(notOffered()))
    },
    finishInstall: unary(log, 'FinishInstall', () => Promise.reject(notOffered())),
    uninstallApp: unary(log, 'UninstallApp', async ({ assignment, package: name }, progress) => {
      const caller = callerOf(assignment)
      await registry
        .phone(caller.serial)
        .write('uninstall', caller, progress, (device, within) =>
          need(device.packages, 'apps').uninstall(name, within),
        )
      return {}
    }),
  }
}
