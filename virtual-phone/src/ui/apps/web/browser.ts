/**
 * A browser without a network. Some sites are bundled (`sites.ts`), and others are unavailable. Its tree
 * looks like a WebView's tree: texts and links without IDs.
 */
import {
  column,
  editText,
  icon,
  iconButton,
  INPUT_TYPE,
  label,
  row,
  scrollView,
} from '../../toolkit/widgets.js'
import { view, type View } from '../../toolkit/view.js'
import { type App, type Ui } from '../app.js'
import { blockView } from './blocks.js'
import { HOME_PAGE, siteOf } from './sites.js'

const MAIN = 'com.android.browser.BrowserActivity'

/** Converts typed text to a URL as other browsers do: `https` without a scheme. */
function toUrl(typed: string): string {
  const text = typed.trim()
  return text === '' ? HOME_PAGE : /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`
}

function page(ui: Ui, url: string, go: (target: string) => void): View[] {
  const t = ui.theme
  const body = siteOf(url)
  if (body) return body.blocks.map((block) => blockView(ui, url, block, go))
  const host = URL.canParse(url) ? new URL(url).host : ''
  return [
    icon('cloud_off', 64, t.secondary, { margin: { bottom: 16 } }),
    label(t, 'This page is not available', { id: ui.id('page_title'), look: { size: 26 } }),
    label(t, `This phone has no network, so ${host === '' ? url : host} was not loaded.`, {
      id: ui.id('page_message'),
      margin: { top: 12 },
      look: { color: t.secondary },
    }),
  ]
}

function main(ui: Ui): View {
  const t = ui.theme
  const start = ui.intent.data ?? HOME_PAGE
  const local = ui.local('tab', () => ({ history: [start] }))
  const url = local.history.at(-1) ?? HOME_PAGE
  const address = ui.field('address', url === HOME_PAGE ? '' : url)
  const show = (target: string): void => {
    const text = target === HOME_PAGE ? '' : target
    address.text = text
    address.anchor = address.head = text.length
  }
  const go = (target: string): void => {
    local.history.push(target)
    show(target)
    ui.hideKeyboard()
    ui.scroll('page').offset = 0
  }
  if (local.history.length > 1) {
    ui.onBack(() => {
      local.history.pop()
      show(local.history.at(-1) ?? HOME_PAGE)
    })
  }
  return column({ height: 'fill' }, [
    row({ width: 'fill', height: 64, padding: { left: 4, right: 4 } }, [
      iconButton(t, 'home', 'Home', () => {
        go(HOME_PAGE)
      }),
      row(
        { weight: 1, height: 48, padding: { left: 16, right: 4 }, box: { color: t.field, radius: 'full' } },
        [
          icon(url.startsWith('https:') ? 'lock' : 'info_outline', 18, t.secondary),
          editText(
            t,
            address,
            {
              hint: 'Search or type URL',
              focused: ui.isFocused(address),
              inputType: INPUT_TYPE.uri,
              action: 'go',
              onAction: () => {
                go(toUrl(address.text))
              },
            },
            { id: ui.id('url_bar'), weight: 1, padding: { left: 8, right: 8 } },
          ),
        ],
      ),
      iconButton(t, 'more_vert', 'More options', () => undefined, { enabled: false, opacity: 0.4 }),
    ]),
    scrollView(ui.scroll('page'), { height: 'wrap', weight: 1 }, [
      view(
        'android.webkit.WebView',
        {
          id: ui.id('webview'),
          description: siteOf(url)?.title ?? '',
          arrangement: 'column',
          width: 'fill',
          padding: { left: 24, right: 24, top: 24, bottom: 48 },
          focusable: true,
        },
        page(ui, url, go),
      ),
    ]),
  ])
}

export const browser: App = {
  package: 'com.android.browser',
  label: 'Browser',
  icon: { glyph: 'public', color: '#ffffff', background: '#e8710a' },
  versionName: '14',
  versionCode: 34,
  uid: 10_060,
  launcherActivity: MAIN,
  activities: { [MAIN]: main },
  actions: { 'android.intent.action.VIEW': MAIN },
  initialData: () => ({}),
}
