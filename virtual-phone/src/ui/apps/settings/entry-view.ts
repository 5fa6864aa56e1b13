/** Draws the entries of a Settings page: rows, switches and choices. Used by `settings.ts`. */
import {
  button,
  checkMark,
  column,
  frame,
  icon,
  label,
  row,
  scrollView,
  toggle,
} from '../../toolkit/widgets.js'
import { type View } from '../../toolkit/view.js'
import { type Ui } from '../app.js'
import { settingsOf } from './data.js'
import { type Entry } from './pages.js'

export const SUB = 'com.android.settings.SubSettings'

/** Returns a row: title, summary, and a view on either side. */
export function preference(
  ui: Ui,
  entry: { title: string; summary?: string | undefined },
  onClick: (() => void) | null,
  lead: View | null,
  end: View | null,
): View {
  const t = ui.theme
  const texts = [label(t, entry.title, { id: 'android:id/title', look: { size: 18, maxLines: 2 } })]
  if (entry.summary)
    texts.push(
      label(t, entry.summary, {
        id: 'android:id/summary',
        margin: { top: 2 },
        look: { size: 14, color: t.secondary, maxLines: 3 },
      }),
    )
  return row(
    { width: 'fill', minHeight: 72, padding: { left: 24, right: 24, top: 12, bottom: 12 }, onClick },
    [
      ...(lead ? [frame({ margin: { right: 20 } }, [lead])] : []),
      column({ width: 'wrap', weight: 1 }, texts),
      ...(end ? [frame({ id: 'android:id/widget_frame', margin: { left: 12 } }, [end])] : []),
    ],
  )
}

function chooseDialog(ui: Ui, entry: Extract<Entry, { kind: 'choice' }>, current: string): void {
  ui.showDialog((d) =>
    column({}, [
      label(d.theme, entry.title, {
        id: 'android:id/alertTitle',
        margin: { left: 24, right: 24, bottom: 12 },
        look: { size: 24 },
      }),
      scrollView(
        ui.scroll(entry.key),
        { height: 'wrap', weight: 1 },
        entry.options.map((option) =>
          row(
            {
              width: 'fill',
              height: 52,
              padding: { left: 24, right: 24 },
              onClick: () => {
                entry.apply(ui, option)
                ui.dismissDialog()
              },
            },
            [
              checkMark(d.theme, option === current, 'round', { margin: { right: 16 } }),
              label(d.theme, option, { id: 'android:id/text1' }),
            ],
          ),
        ),
      ),
      row({ width: 'fill', gravity: { x: 'end' }, padding: { right: 16, top: 4 } }, [
        button(d.theme, 'Cancel', () => ui.dismissDialog(), { id: 'android:id/button2', kind: 'text' }),
      ]),
    ]),
  )
}

/** Returns the appearance and the effect of a page's entry. */
export function entryView(ui: Ui, entry: Entry): View {
  const t = ui.theme
  const data = settingsOf(ui)
  switch (entry.kind) {
    case 'heading':
      return label(t, entry.title, {
        margin: { left: 24, top: 16, bottom: 8 },
        look: { size: 14, weight: 500, color: t.primary },
      })
    case 'page': {
      const lead = entry.glyph
        ? frame(
            {
              width: 40,
              height: 40,
              gravity: { x: 'center', y: 'center' },
              box: { color: entry.color ?? t.field, radius: 'full' },
            },
            [icon(entry.glyph, 22, entry.color ? '#ffffff' : t.text)],
          )
        : null
      return preference(ui, entry, () => ui.open(SUB, { page: entry.page }), lead, null)
    }
    case 'info':
      return preference(ui, { title: entry.title, summary: entry.value(ui) }, null, null, null)
    case 'activity':
      return preference(
        ui,
        { title: entry.title, summary: entry.value(ui) },
        () => ui.open(entry.className),
        null,
        null,
      )
    case 'night':
      return preference(
        ui,
        { title: entry.title, summary: ui.configuration.night ? 'On' : 'Off' },
        () => ui.configure({ night: !ui.configuration.night }),
        null,
        toggle(t, ui.configuration.night, { id: 'android:id/switch_widget' }),
      )
    case 'switch': {
      const on = data.switches[entry.key] ?? false
      return preference(
        ui,
        entry,
        () => (data.switches[entry.key] = !on),
        null,
        toggle(t, on, { id: 'android:id/switch_widget' }),
      )
    }
    case 'choice': {
      const current = entry.current(ui)
      return preference(
        ui,
        { title: entry.title, summary: current },
        () => chooseDialog(ui, entry, current),
        null,
        null,
      )
    }
  }
}
