/** The API reference: Scalar's program, which shows `/openapi.json` and sends requests with the reader's key. */
import { useData, withBase } from 'vitepress'
import { defineComponent, h, onBeforeUnmount, onMounted, ref, watch } from 'vue'
import type { ThemeConfig } from './config.js'
import { sendTrialsToThisOrigin } from './trials.js'

interface Reference {
  updateConfiguration(configuration: object): void
  destroy(): void
}
declare global {
  interface Window {
    Scalar?: { createApiReference(element: Element, configuration: object): Reference }
  }
}

/** All features that send requests to other servers, or lead to other servers, are off. */
const configurationFor = (content: object, isDark: boolean): object => ({
  content,
  theme: 'default',
  // The site's search has all endpoints.
  hideSearch: true,
  layout: 'modern',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  hideDarkModeToggle: true,
  forceDarkModeState: isDark ? 'dark' : 'light',
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  agent: { disabled: true },
  mcp: { disabled: true },
  // A key stays in the memory of the page.
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'apiKey' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: otherLanguages,
  generateOperationSlug: ({ operationId }: { operationId?: string }) => operationId ?? '',
  metaData: { title: 'API reference | Phonerack' },
})

/** Languages without examples. Only the languages of our clients have examples, without `js`: the script of a page must not contain a key. */
const otherLanguages =
  'c clojure csharp dart fsharp go http java js kotlin objc ocaml php powershell r ruby rust swift'.split(' ')

interface Description {
  tags?: { name: string }[]
}

/** The description of this installation, with names of its sections for people. */
async function readDescription(): Promise<object> {
  const answer = await fetch('/openapi.json')
  if (!answer.ok) throw new Error(`/openapi.json: ${answer.status}`)
  const description = (await answer.json()) as Description
  const named = (description.tags ?? []).map((tag) => ({
    ...tag,
    'x-displayName': `${tag.name.slice(0, 1).toUpperCase()}${tag.name.slice(1)}`,
  }))
  return { ...description, tags: named }
}

const loadScript = (src: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = src
    script.onload = () => resolve()
    script.onerror = () => reject(new Error(`${src} could not be loaded`))
    document.head.append(script)
  })

export const ApiReference = defineComponent({
  name: 'ApiReference',
  setup() {
    const { isDark, theme } = useData<ThemeConfig>()
    const place = ref<HTMLElement>()
    const failed = ref(false)
    let shown: Reference | undefined
    let restore = (): void => undefined
    let description: object = {}
    onMounted(async () => {
      try {
        const loaded = loadScript(withBase(theme.value.apiReference))
        description = await readDescription()
        await loaded
      } catch {
        failed.value = true
        return
      }
      if (!place.value || !window.Scalar) return
      restore = sendTrialsToThisOrigin()
      shown = window.Scalar.createApiReference(place.value, configurationFor(description, isDark.value))
    })
    watch(isDark, (now) => shown?.updateConfiguration(configurationFor(description, now)))
    onBeforeUnmount(() => {
      shown?.destroy()
      restore()
    })
    return () =>
      h('div', { class: 'api-reference' }, [
        failed.value ? h('p', 'The API reference could not be loaded. Reload the page.') : null,
        h('div', { ref: place }),
      ])
  },
})
