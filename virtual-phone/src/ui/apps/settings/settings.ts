/**
 * The Settings app: nested pages from one table, a search over the pages, and switches that keep their state.
 */
import { column, editText, icon, label, row, scrollView, toolbar } from '../../toolkit/widgets.js'
import { view, type View } from '../../toolkit/view.js'
import { type App, type Ui } from '../app.js'
import { initialSettings } from './data.js'
import { entryView, preference, SUB } from './entry-view.js'
import { screenLockScreens, SET_NEW_PASSWORD } from './screen-lock.js'
import { PAGES, pageOf, type Entry } from './pages.js'

const MAIN = 'com.android.settings.Settings'
const SEARCH = 'com.android.settings.search.SearchActivity'

function entriesOf(page: string, ui: Ui): readonly Entry[] {
  const { entries } = pageOf(page, ui)
  return typeof entries === 'function' ? entries(ui) : entries
}

function group(ui: Ui, entries: readonly Entry[]): View {
  return column(
    {
      margin: { left: 12, right: 12, bottom: 12 },
      padding: { top: 4, bottom: 4 },
      width: 'fill',
      box: { color: ui.theme.surface, radius: 24 },
    },
    entries.map((entry) => entryView(ui, entry)),
  )
}

function main(ui: Ui): View {
  const t = ui.theme
  return scrollView(ui.scroll('main'), { id: ui.id('main_content_scrollable_container') }, [
    label(t, 'Settings', {
      id: ui.id('homepage_title'),
      margin: { left: 24, top: 40, bottom: 16 },
      look: { size: 36 },
    }),
    row(
      {
        id: ui.id('search_action_bar'),
        width: 'fill',
        height: 56,
        margin: { left: 12, right: 12, bottom: 16 },
        padding: { left: 20, right: 20 },
        box: { color: t.field, radius: 'full' },
        onClick: () => ui.open(SEARCH),
      },
      [
        icon('search', 24, t.text),
        label(t, 'Search settings', {
          id: ui.id('search_action_bar_title'),
          margin: { left: 16 },
          look: { size: 18, color: t.secondary },
        }),
      ],
    ),
    group(ui, entriesOf('root', ui)),
  ])
}

function sub(ui: Ui): View {
  const page = ui.intent.extras['page'] ?? 'root'
  return column({ height: 'fill' }, [
    toolbar(ui.theme, ui.id('action_bar'), pageOf(page, ui).title, () => ui.finish()),
    scrollView(
      ui.scroll('page'),
      { id: ui.id('recycler_view'), height: 'wrap', weight: 1, padding: { top: 8 } },
      [group(ui, entriesOf(page, ui))],
    ),
  ])
}

/** Finds titled entries, each with its page. */
function search(ui: Ui, query: string): { title: string; page: string; where: string }[] {
  const wanted = query.trim().toLocaleLowerCase()
  if (wanted === '') return []
  return Object.entries(PAGES).flatMap(([name, page]) =>
    entriesOf(name, ui)
      .filter((entry) => entry.kind !== 'heading' && entry.title.toLocaleLowerCase().includes(wanted))
      .map((entry) => ({
        title: entry.title,
        page: entry.kind === 'page' ? entry.page : name,
        where: page.title,
      })),
  )
}

function searchScreen(ui: Ui): View {
  const t = ui.theme
  const field = ui.field('query')
  const local = ui.local('search', () => ({ opened: false }))
  if (!local.opened) {
    local.opened = true
    ui.focus(field)
  }
  const results = search(ui, field.text)
  const empty = field.text.trim() !== '' && results.length === 0
  return column({ height: 'fill' }, [
    row({ width: 'fill', height: 64, padding: { left: 4, right: 12 } }, [
      view('android.widget.ImageButton', {
        description: 'Back',
        padding: 12,
        mark: { kind: 'icon', glyph: 'arrow_back', size: 24, color: t.text },
        onClick: () => ui.finish(),
      }),
      editText(
        t,
        field,
        {
          hint: 'Search settings',
          focused: ui.isFocused(field),
          action: 'search',
          onAction: () => ui.hideKeyboard(),
          look: { size: 18 },
        },
        { id: ui.id('search_src_text'), weight: 1, padding: { left: 8, right: 8 } },
      ),
    ]),
    ...(empty
      ? [
          label(t, 'No results', {
            id: ui.id('no_results'),
            margin: { left: 24, top: 24 },
            look: { color: t.secondary },
          }),
        ]
      : []),
    scrollView(
      ui.scroll('results'),
      { id: ui.id('list_results'), height: 'wrap', weight: 1 },
      results.map((found) =>
        preference(
          ui,
          { title: found.title, summary: found.where },
          () => ui.open(SUB, { page: found.page }),
          null,
          null,
        ),
      ),
    ),
  ])
}

export const settings: App = {
  package: 'com.android.settings',
  label: 'Settings',
  icon: { glyph: 'settings', color: '#ffffff', background: '#5f6d8a' },
  versionName: '14',
  versionCode: 34,
  uid: 1000,
  launcherActivity: MAIN,
  activities: { [MAIN]: main, [SUB]: sub, [SEARCH]: searchScreen, ...screenLockScreens },
  actions: {
    'android.settings.SETTINGS': MAIN,
    'android.settings.HARD_KEYBOARD_SETTINGS': MAIN,
    'android.app.action.SET_NEW_PASSWORD': SET_NEW_PASSWORD,
  },
  initialData: initialSettings,
}
