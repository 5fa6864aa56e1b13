/** Dialogs: an alert and checkboxes. The page shows their results. */
import { button, checkMark, column, label, row, scrollView, toolbar } from '../toolkit/widgets.js'
import { type View } from '../toolkit/view.js'
import { type App, type Ui } from './app.js'

const MAIN = 'com.phonerack.dialogs.MainActivity'
const TOPPINGS = ['Cheese', 'Olives', 'Mushrooms']

interface DialogsData {
  result: string
  toppings: string[]
  taps: number
}

const title = (ui: Ui, text: string): View =>
  label(ui.theme, text, {
    id: 'android:id/alertTitle',
    margin: { left: 24, right: 24, bottom: 12 },
    look: { size: 24 },
  })

function buttons(ui: Ui, ok: () => void): View {
  const data = ui.data() as DialogsData
  return row({ width: 'fill', gravity: { x: 'end', y: 'center' }, padding: { right: 16, top: 8 } }, [
    button(
      ui.theme,
      'Cancel',
      () => {
        data.result = 'Cancelled'
        ui.dismissDialog()
      },
      { id: 'android:id/button2', kind: 'text' },
    ),
    button(
      ui.theme,
      'OK',
      () => {
        ok()
        ui.dismissDialog()
      },
      { id: 'android:id/button1', kind: 'text' },
    ),
  ])
}

function alert(ui: Ui): void {
  const data = ui.data() as DialogsData
  ui.showDialog((d) =>
    column({}, [
      title(d, 'Alert'),
      label(d.theme, 'Do you want to go on?', {
        id: 'android:id/message',
        margin: { left: 24, right: 24 },
        look: { color: d.theme.secondary },
      }),
      buttons(d, () => (data.result = 'OK pressed')),
    ]),
  )
}

function multiple(ui: Ui): void {
  const data = ui.data() as DialogsData
  ui.showDialog((d) =>
    column({}, [
      title(d, 'Toppings'),
      ...TOPPINGS.map((topping) => {
        const on = data.toppings.includes(topping)
        return row(
          {
            width: 'fill',
            height: 52,
            padding: { left: 24, right: 24 },
            onClick: () => {
              data.toppings = on
                ? data.toppings.filter((other) => other !== topping)
                : [...data.toppings, topping]
            },
          },
          [
            checkMark(d.theme, on, 'box', { margin: { right: 16 } }),
            label(d.theme, topping, { id: 'android:id/text1' }),
          ],
        )
      }),
      buttons(
        d,
        () =>
          (data.result = data.toppings.length > 0 ? `Toppings: ${data.toppings.join(', ')}` : 'No toppings'),
      ),
    ]),
  )
}

function main(ui: Ui): View {
  const t = ui.theme
  const data = ui.data() as DialogsData
  const opener = (text: string, id: string, open: (ui: Ui) => void): View =>
    button(t, text, () => open(ui), { id: ui.id(id), width: 'fill', height: 52, margin: { top: 12 } })
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), 'Dialogs', null),
    scrollView(
      ui.scroll('page'),
      { height: 'wrap', weight: 1, padding: { left: 24, right: 24, bottom: 24 } },
      [
        label(t, 'Result', { look: { size: 14, color: t.secondary } }),
        label(t, data.result, { id: ui.id('result'), margin: { bottom: 12 }, look: { size: 22 } }),
        opener('Show alert', 'show_alert', alert),
        opener('Choose several', 'show_multiple', multiple),
        button(
          t,
          `Tapped ${data.taps} times`,
          () => {
            data.taps++
          },
          {
            id: ui.id('counter'),
            width: 'fill',
            height: 52,
            margin: { top: 12 },
            onLongClick: () => (data.taps = 0),
          },
        ),
        button(t, 'Not available', () => undefined, {
          id: ui.id('disabled'),
          width: 'fill',
          height: 52,
          margin: { top: 12 },
          enabled: false,
        }),
      ],
    ),
  ])
}

export const dialogs: App = {
  package: 'com.phonerack.dialogs',
  label: 'Dialogs',
  icon: { glyph: 'forum', color: '#ffffff', background: '#8e24aa' },
  versionName: '1.0',
  versionCode: 1,
  uid: 10_102,
  launcherActivity: MAIN,
  activities: { [MAIN]: main },
  actions: {},
  initialData: (): DialogsData => ({ result: 'None yet', toppings: [], taps: 0 }),
}
