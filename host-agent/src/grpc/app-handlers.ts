/** HostService: apps of the phone. */
import type { HostServiceServer } from '@phonerack/proto'
import { ApiError, type Logger } from '@phonerack/shared'
import type { Registry } from '../phone/registry.js'
import { callerOf, need, unary } from './call.js'

type AppCalls = Pick<
  HostServiceServer,
  'listApps' | 'beginInstall' | 'putPackageFile' | 'finishInstall' | 'uninstallApp'
>

const notYet = (): never => {
  throw new ApiError('feature_unavailable', { details: { feature: 'apps' } })
}

export function createAppHandlers(registry: Registry, log: Logger): AppCalls {
  return {
    listApps: unary(log, 'ListApps', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      const apps = await registry
        .phone(caller.serial)
        .read(caller, progress, (device, within) => need(device.packages, 'apps').list(within))
      return { apps: apps.map((app) => ({ ...app, versionCode: BigInt(app.versionCode) })) }
    }),
    beginInstall: unary(log, 'BeginInstall', () => Promise.resolve().then(notYet)),
    putPackageFile: (call, callback) => {
      call.resume()
      callback(null, {})
    },
    finishInstall: unary(log, 'FinishInstall', () => Promise.resolve().then(notYet)),
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
