/** Calls that concern apps and their installs. */
import { createHash } from 'node:crypto'
import { type HostServiceServer, type PackageFile, type PutPackageFileRequest } from '@phonerack/proto'
import { ApiError } from '@phonerack/shared'
import { answer } from './answers.js'
import { type Inside } from './inside.js'

export const appsCalls = (
  agent: Inside,
): Pick<
  HostServiceServer,
  'beginInstall' | 'putPackageFile' | 'finishInstall' | 'listApps' | 'uninstallApp'
> => ({
  beginInstall: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('beginInstall', call.request.assignment)
      agent.held.needs = call.request.needs
      const wanted = call.request.files.map(({ sha256 }) => sha256)
      return {
        missingSha256: wanted.filter((sha256) => !agent.held.cache.has(sha256)),
        uninstalled: call.request.replace,
      }
    }),
  putPackageFile: (call, callback) => {
    const take = async () => {
      const hash = createHash('sha256')
      let header: PackageFile | undefined
      let size = 0
      for await (const { part } of call as AsyncIterable<PutPackageFileRequest>) {
        if (part?.$case === 'header') header = part.value
        if (part?.$case !== 'chunk') continue
        if (part.value.length > 64 * 1024) throw new Error('a chunk is too large')
        size += part.value.length
        hash.update(part.value)
      }
      agent.log.push('putPackageFile')
      await agent.onCall('putPackageFile')
      const sha256 = hash.digest('hex')
      if (header?.sha256 !== sha256 || Number(header.size) !== size)
        throw new ApiError('provider_error', { message: 'the file is not what its header says' })
      agent.held.cache.add(sha256)
      return {}
    }
    answer(callback, take)
  },
  finishInstall: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('finishInstall', call.request.assignment)
      return { succeeded: true, errorCode: '', reason: '', wasInstalled: false, ...agent.finish }
    }),
  listApps: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('listApps', call.request.assignment)
      const apps = agent.held.apps.map((name) => ({
        package: name,
        label: agent.held.labels.get(name) ?? name,
        versionName: '1',
        versionCode: 1n,
        system: name.startsWith('com.android.'),
      }))
      return { apps }
    }),
  uninstallApp: (call, callback) =>
    answer(callback, async () => {
      await agent.beginCall('uninstallApp', call.request.assignment)
      const named = call.request.package
      if (!agent.held.apps.includes(named))
        throw new ApiError('app_not_found', { details: { package: named } })
      agent.held.apps = agent.held.apps.filter((name) => name !== named)
      return {}
    }),
})
