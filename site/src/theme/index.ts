/** The theme: VitePress's default with our colors, tabs that remember the reader's client, and the API reference. */
import { onContentUpdated, type Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { onMounted, onUnmounted } from 'vue'
import { ApiReference } from './api-reference.js'
import { showOwnAddress } from './own-address.js'
import './style.css'
import { selectRemembered, watchTabs } from './tabs.js'

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('ApiReference', ApiReference)
  },
  setup() {
    let stop = (): void => undefined
    onMounted(() => (stop = watchTabs()))
    onUnmounted(() => stop())
    onContentUpdated(() => {
      selectRemembered()
      showOwnAddress()
    })
  },
}
export default theme
