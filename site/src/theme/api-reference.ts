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

/** Everything that would ask another server, or leads to one, is off. */
const configurationFor = (isDark: boolean): object => ({
  url: '/openapi.json',
  theme: 'none',
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
  generateOperationSlug: ({ operationId }: { operationId?: string }) => operationId ?? '',
  metaData: { title: 'API reference | Phonerack' },
})

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
    onMounted(async () => {
      try {
        await loadScript(withBase(theme.value.apiReference))
      } catch {
        failed.value = true
        return
      }
      if (!place.value || !window.Scalar) return
      restore = sendTrialsToThisOrigin()
      shown = window.Scalar.createApiReference(place.value, configurationFor(isDark.value))
    })
    watch(isDark, (now) => shown?.updateConfiguration(configurationFor(now)))
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
