/**
 * Lists, installs and uninstalls the apps of one phone by `cmd package` and `pm`. Hides
 * the agent's helper apps. Created by `supervision/assemble.ts`.
 */
import { ApiError, type Progress } from '@phonerack/shared'
import { command, pipe } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { InstalledApp, Packages } from '../../adb/device/device.js'
import { writing } from '../../adb/device/outcome.js'
import { outputOf, run } from '../../adb/device/run.js'
import { incompatibleError, incompatibilityOf, readProperties } from './fit.js'
import { notUnderstood } from '../../adb/device/unreadable.js'
import { ownPackages } from '../../adb/parts/parts.js'
import type { ReadLabels } from './labels.js'
import { abandonSession, commitSession, createSession, writeToSession } from './session.js'
import {
  parsePackageList,
  parsePackageNames,
  parseVersionNames,
  refusalOf,
  UnreadableList,
  type ListedPackage,
} from './parse.js'

/** Milliseconds until labels are read again when no source was available. */
const labelsRetryMs = 60_000
/** Milliseconds for which a package may still be listed after a confirmed uninstall. */
const uninstalledMs = 5000

interface Named {
  versionName: string
  /** Null when the label is unknown, since the app has no icon. */
  label: string | null
}

const notFound = (name: string, more: { message?: string; system?: boolean } = {}): ApiError =>
  new ApiError('app_not_found', {
    message: more.message,
    details: { package: name, ...(more.system === true ? { system: true } : {}) },
  })

/** Only names that `pm` accepts are sent to the phone. */
const isPackageName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$/.test(name)

export function createPackages(transport: Transport, readLabels: ReadLabels): Packages {
  /** Versions by the fields of a list entry that an update or a new install changes. */
  let known = new Map<string, Named>()
  /** Labels are in the phone's language. */
  let language = ''
  let labelsFailedAt = -Infinity

  const keyOf = (app: ListedPackage): string => `${app.package} ${app.versionCode} ${app.path}`

  /** @param filter null for all apps */
  async function read(filter: string | null, progress: Progress): Promise<ListedPackage[]> {
    const words = ['list', 'packages', '--user', '0', '-f', '--show-versioncode']
    return readable(parsePackageList, [...words, ...(filter === null ? [] : [filter])], progress)
  }

  const readSystem = (filter: string | null, progress: Progress): Promise<Set<string>> =>
    readable(
      parsePackageNames,
      ['list', 'packages', '--user', '0', '-s', ...(filter === null ? [] : [filter])],
      progress,
    )

  async function readable<T>(
    parse: (text: string) => T,
    words: readonly string[],
    progress: Progress,
  ): Promise<T> {
    const text = await run(transport, command('cmd', 'package', ...words), progress)
    try {
      return parse(text)
    } catch (error) {
      if (!(error instanceof UnreadableList)) throw error
      throw notUnderstood('its apps', error.message)
    }
  }

  async function find(name: string, progress: Progress): Promise<ListedPackage | null> {
    if (!isPackageName(name)) return null
    // The phone also matches parts of names.
    return (await read(name, progress)).find((app) => app.package === name) ?? null
  }

  /** Reads version names, and labels where available, of all apps that are new since the last list. */
  async function readNames(apps: readonly ListedPackage[], progress: Progress): Promise<Map<string, Named>> {
    const missing = apps.filter((app) => !known.has(keyOf(app)))
    const retry = performance.now() - labelsFailedAt > labelsRetryMs
    if (missing.length === 0) return known
    const [dump, labels] = await Promise.all([
      run(
        transport,
        pipe(
          command('dumpsys', 'package', 'packages'),
          command('grep', '-E', '^([A-Z]|  Package \\[|    versionName=)'),
        ),
        progress,
      ),
      retry ? readLabels(progress) : null,
    ])
    const versions = parseVersionNames(dump)
    if (versions === null) {
      throw notUnderstood('the versions of its apps', dump)
    }
    if (labels === null && retry) labelsFailedAt = performance.now()
    const next = new Map<string, Named>()
    for (const app of apps) {
      const before = known.get(keyOf(app))
      const versionName = versions.get(app.package) ?? before?.versionName ?? ''
      const label = labels?.get(app.package) ?? before?.label ?? null
      next.set(keyOf(app), { versionName, label })
    }
    // Without labels nothing is cached, so the next list reads the labels again.
    if (labels !== null) known = next
    return next
  }

  return {
    async list(progress) {
      const [apps, system, locale] = await Promise.all([
        read(null, progress),
        readSystem(null, progress),
        run(transport, command('getprop', 'persist.sys.locale'), progress),
      ])
      if (locale !== language) known = new Map()
      language = locale
      if (apps.length === 0)
        throw new ApiError('provider_error', { message: 'The phone reports an empty list of apps.' })
      const names = await readNames(apps, progress)
      return apps
        .filter((app) => !ownPackages.has(app.package))
        .map((app): InstalledApp => {
          const named = names.get(keyOf(app))
          return {
            package: app.package,
            label: named?.label ?? app.package,
            versionName: named?.versionName ?? '',
            versionCode: app.versionCode,
            system: system.has(app.package),
          }
        })
        .sort((a, b) => (a.package < b.package ? -1 : a.package > b.package ? 1 : 0))
    },

    async find(packageName, progress) {
      const [app, system] = await Promise.all([
        find(packageName, progress),
        isPackageName(packageName) ? readSystem(packageName, progress) : new Set<string>(),
      ])
      return app && { versionCode: app.versionCode, path: app.path, system: system.has(packageName) }
    },

    async requireCompatible(packageName, needs, isNew, progress) {
      const incompatibility = incompatibilityOf(needs, await readProperties(transport, progress), isNew)
      if (incompatibility !== null) throw incompatibleError(packageName, incompatibility)
    },

    async requireSpace(packageName, totalBytes, progress) {
      // Only the phone knows how much space it can free. It reports that space when a session is created.
      const session = await createSession(transport, packageName, totalBytes, progress)
      await abandonSession(transport, session, progress)
    },

    async install(packageName, files, steps, progress) {
      const total = files.reduce((sum, { size }) => sum + size, 0)
      const session = await createSession(transport, packageName, total, progress)
      steps.onSession(session)
      for (const [index, file] of files.entries())
        await writeToSession(transport, session, `${index}.apk`, file, progress)
      progress.check('the install')
      steps.onCommit()
      await commitSession(transport, session, progress)
    },

    abandon: (session, progress) => abandonSession(transport, session, progress),

    async uninstall(packageName, progress) {
      if (ownPackages.has(packageName) || !isPackageName(packageName)) throw notFound(packageName)
      const [app, system] = await Promise.all([
        find(packageName, progress),
        readSystem(packageName, progress),
      ])
      if (app === null) throw notFound(packageName)
      if (system.has(packageName)) {
        const message = 'The app is preinstalled and cannot be uninstalled.'
        throw notFound(packageName, { message, system: true })
      }
      await writing('the uninstall', async () => {
        const result = await transport.shell(command('pm', 'uninstall', packageName), progress)
        const refusal = refusalOf(outputOf(result))
        const within = progress.within(uninstalledMs)
        while ((await find(packageName, progress)) !== null) {
          if (refusal !== null) {
            throw new ApiError('provider_error', {
              message: 'The phone refused to uninstall the app.',
              retryable: false,
              details: { package: packageName, reason: refusal },
            })
          }
          await within.sleep(100, 'the removal of the app')
        }
      })
    },
  }
}
