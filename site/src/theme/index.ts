/** The theme: VitePress's default with our colors, tabs that remember the reader's client, and the API reference. */
import { onContentUpdated, type Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { defineComponent, h, onMounted, onUnmounted } from 'vue'
import { ApiReference } from './api-reference.js'
import { showOwnAddress } from './own-address.js'
import './style.css'
import { selectRemembered, watchTabs } from './tabs.js'

const Layout = defineComponent({
  name: 'SiteLayout',
  setup() {
    let stop = (): void => undefined
    onMounted(() => (stop = watchTabs()))
    onUnmounted(() => stop())
    onContentUpdated(() => {
      selectRemembered()
      showOwnAddress()
    })
    return () => h(DefaultTheme.Layout)
  },
})

const theme: Theme = {
  extends: DefaultTheme,
  Layout,
  enhanceApp({ app }) {
    app.component('ApiReference', ApiReference)
  },
}
export default theme
