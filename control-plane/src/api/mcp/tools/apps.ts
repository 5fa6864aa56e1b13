/** Tools for apps: installed apps, the library, installs and uploads. */
import { limits, pause } from '@phonerack/shared'
import { z } from 'zod'
import { type InstallsJson, type UploadJson } from '../../routes/apps/schemas.js'
import { answer } from '../answers.js'
import { orKnown, path, type Api } from '../api.js'
import { nextForTools } from '../next.js'
import { cutText, fitting, maxBytes, wholePage, pageOutput, partAnswer, partOutput } from '../lists.js'
import { boolean, described, list, next, object, offset, orNull, phoneId, string } from '../schemas.js'
import { entryLine, quoted } from '../text.js'
import { adds, defineTool, destroys, reads, settles } from '../tool.js'

interface AppJson {
  package: string
  label: string
  version_name: string
  version_code: number
  system: boolean
}
type LibraryAppJson = Omit<AppJson, 'system'>
interface Page<T> {
  data: T[]
  next_cursor: string | null
}
type InstallJson = InstallsJson['data'][number]

/** Characters of a name or a version from the library. */
const maxLabel = 60

/** Milliseconds between two reads of an install. */
const lookEveryMs = 1000

const installs = (api: Api, id: string): Promise<InstallsJson> =>
  api.json({ method: 'GET', path: path`/v1/phones/${id}/apps/installs` })

/** Matches the install that was started. The list is newest first, so the first entry of a package is that install. */
const isSame = (started: Pick<InstallJson, 'package'> & { install?: string }) => (entry: InstallJson) =>
  started.install === undefined
    ? entry.upload === null && entry.package === started.package
    : entry.install === started.install

/**
 * Returns the entry of the install once the install has ended, or its latest state when the time of the call has
 * passed.
 */
async function ended(
  api: Api,
  id: string,
  started: { package: string; install?: string },
): Promise<InstallJson | undefined> {
  for (;;) {
    // The install runs. An error here would tell the model that the install did not start.
    const { data } = await orKnown(installs(api, id), { data: [] })
    const entry = data.find(isSame(started))
    if (entry?.status !== 'running' || api.remaining() < 5 * lookEveryMs) return entry
    await pause(lookEveryMs, api.signal)
    api.signal.throwIfAborted()
  }
}

/** Splits `error` from the record of an install or upload, since a result with `error` is a failure of the tool. */
const splitError = <T extends { error: unknown }>({ error, ...shown }: T) => ({
  error: error as T['error'],
  shown,
})

export const appTools = [
  defineTool({
    name: 'list_apps',
    title: 'List installed apps',
    description:
      'List the apps on a ready phone, and its recent installs with their outcome. Open one with the action open_app.',
    input: z.strictObject({
      phone_id: phoneId,
      system: z.boolean().optional().describe('Include apps without an icon'),
      offset,
    }),
    output: { ...partOutput, installs: list(object) },
    annotations: reads,
    async run({ phone_id: id, system = false, offset = 0 }, api) {
      const { data: all } = await api.json<{ data: AppJson[] }>({
        method: 'GET',
        path: path`/v1/phones/${id}/apps`,
      })
      // Only apps with an icon have a label. If no app has a label, the agent read none.
      const hasIcon = ({ label, package: name }: AppJson): boolean => label !== name
      const isUnknown = !all.some(hasIcon)
      const data = all.filter((app) => system || !app.system || isUnknown || hasIcon(app))
      const recent = (await installs(api, id)).data.map((each) => ({
        ...each,
        next: nextForTools(each.next),
      }))
      const left = all.length - data.length
      const what =
        left > 0 ? `apps, and ${left} preinstalled ones without an icon that were left out` : 'apps'
      const shown = fitting(recent, entryLine, maxBytes / 5)
      const { structured, text } = partAnswer(data, offset, what, { installs: shown }, (4 * maxBytes) / 5)
      return {
        structured,
        text: [`${recent.length} recent installs`, ...shown.map(entryLine), text].join('\n'),
      }
    },
  }),
  defineTool({
    name: 'search_library',
    title: 'Search the app library',
    description: 'Find apps that install_app can install by package.',
    input: z.strictObject({
      query: z.string().min(1).max(limits.libraryQuery).optional().describe('Part of a name or package'),
      cursor: z.string().min(1).optional(),
    }),
    output: pageOutput,
    annotations: reads,
    async run(query, api) {
      const page = await api.json<Page<LibraryAppJson>>({ method: 'GET', path: '/v1/apps/library', query })
      // A page of the API has at most 50 apps. With short texts, all fit.
      const data = page.data.map(({ label, version_name, ...app }) => ({
        ...app,
        label: cutText(label, maxLabel),
        version_name: cutText(version_name, maxLabel),
      }))
      return wholePage({ ...page, data }, 'apps')
    },
  }),
  defineTool({
    name: 'install_app',
    title: 'Install an app',
    description:
      'Install an app of the library by package, or your own APK by upload, and wait for it. If still running, call list_apps later; do not install again.',
    input: z.strictObject({
      phone_id: phoneId,
      package: z.string().min(1).optional().describe('From search_library'),
      upload: z.string().min(1).optional().describe('upl_… of complete_app_upload'),
      replace: z.boolean().optional().describe('With upload: remove the app and its data first'),
    }),
    output: {
      package: string,
      upload: orNull(string),
      install: orNull(string),
      status: described(string, 'running, succeeded or failed'),
      next,
    },
    annotations: { ...adds, destructiveHint: true },
    async run({ phone_id: id, ...json }, api) {
      const started = await api.json<{ package: string; upload?: string; install?: string; status: string }>({
        method: 'POST',
        path: path`/v1/phones/${id}/apps`,
        json,
      })
      const entry = await ended(api, id, started)
      const {
        error,
        shown: { next: then, ...shown },
      } = splitError(entry ?? { ...started, error: null, next: null })
      const advice = nextForTools(then)
      if (error === null) {
        const open = { phone_id: id, actions: [{ type: 'open_app', package: started.package }] }
        const later =
          shown.status === 'succeeded' ? `act ${quoted(open)}` : `list_apps ${quoted({ phone_id: id })}`
        return answer(shown, `install of ${started.package} ${shown.status}`, later)
      }
      const failure = { code: error, message: 'The install failed.', retryable: false, next: advice }
      const { structured, text } = answer(
        shown,
        `install of ${started.package} failed: ${error}`,
        advice ?? undefined,
      )
      return { structured: { ...structured, error: failure }, text, isError: true }
    },
  }),
  defineTool({
    name: 'uninstall_app',
    title: 'Uninstall an app',
    description: 'Remove an app from a phone with its data and sign-ins.',
    input: z.strictObject({ phone_id: phoneId, package: z.string().min(1) }),
    output: { package: string, uninstalled: boolean },
    annotations: destroys,
    async run({ phone_id: id, package: name }, api) {
      const done = await api.json<{ package: string; uninstalled: true }>({
        method: 'DELETE',
        path: path`/v1/phones/${id}/apps/${name}`,
      })
      return answer(done, `uninstalled ${quoted(done.package)}`)
    },
  }),
  defineTool({
    name: 'create_app_upload',
    title: 'Upload an APK, step 1',
    description:
      'Get a URL for your own APK. Send the file with the curl command in next, then call complete_app_upload with the storageId that it prints. Keep the URL secret.',
    input: z.strictObject({}),
    output: { id: string, upload_url: string, expires_at: string, next },
    annotations: adds,
    async run(_args, api) {
      const upload = await api.json<
        UploadJson & { upload_url: string; upload_headers: Record<string, string> }
      >({ method: 'POST', path: '/v1/apps/uploads' })
      const headers = Object.entries(upload.upload_headers).map(([name, value]) => ` -H '${name}: ${value}'`)
      const curl = `curl -s -X POST${headers.join('')} --data-binary @FILE.apk '${upload.upload_url}'`
      return answer(
        splitError(upload).shown,
        `upload ${upload.id}`,
        `${curl} , then complete_app_upload ${quoted({ upload_id: upload.id, storage_id: 'STORAGE_ID' })}`,
      )
    },
  }),
  defineTool({
    name: 'complete_app_upload',
    title: 'Upload an APK, step 2',
    description: 'Finish an upload after its file was sent, and wait until it is ready. Then install_app.',
    input: z.strictObject({
      upload_id: z.string().min(1),
      storage_id: z.string().describe('storageId that the upload URL returned'),
    }),
    output: { id: string, status: string, package: orNull(string), next },
    annotations: settles,
    async run({ upload_id: id, storage_id }, api) {
      const first = await api.json<UploadJson>({
        method: 'POST',
        path: path`/v1/apps/uploads/${id}/complete`,
        json: { storage_id },
      })
      const query = { wait: 'ready', timeout: api.pollSeconds() }
      const read = () => api.json<UploadJson>({ method: 'GET', path: path`/v1/apps/uploads/${id}`, query })
      const upload = first.status === 'processing' ? await orKnown(read(), first) : first
      const { error, shown } = splitError(upload)
      const again = `complete_app_upload ${quoted({ upload_id: id, storage_id })}`
      const then = upload.status === 'ready' ? `install_app ${quoted({ upload: upload.id })}` : again
      if (error === null) return answer(shown, `upload ${upload.id} ${upload.status}`, then)
      const failure = { ...error, next: nextForTools(error.next), retryable: false }
      const head = `upload ${upload.id} ${upload.status}: ${error.code}`
      const { structured, text } = answer(shown, head, failure.next ?? error.message)
      return { structured: { ...structured, error: failure }, text, isError: true }
    },
  }),
]
