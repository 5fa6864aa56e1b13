/** The checkout form: each field shows its error after an attempt to order. */
import {
  button,
  column,
  icon,
  INPUT_TYPE,
  label,
  outlined,
  scrollView,
  toolbar,
} from '../../toolkit/widgets.js'
import { type View } from '../../toolkit/view.js'
import { type Ui } from '../app.js'
import { formErrors, sums, type CheckoutForm } from './data.js'
import { DONE, MAIN, money, shopOf } from './parts.js'

const FIELDS: readonly { name: keyof CheckoutForm; hint: string; inputType?: number }[] = [
  { name: 'name', hint: 'Name' },
  { name: 'email', hint: 'E-mail', inputType: INPUT_TYPE.email },
  { name: 'street', hint: 'Street and number' },
  { name: 'postcode', hint: 'Postcode', inputType: INPUT_TYPE.phone },
  { name: 'card', hint: 'Card number', inputType: INPUT_TYPE.phone },
]

function formOf(ui: Ui): CheckoutForm {
  const text = (name: keyof CheckoutForm): string => ui.field(name).text
  return {
    name: text('name'),
    email: text('email'),
    street: text('street'),
    postcode: text('postcode'),
    card: text('card'),
  }
}

export function checkout(ui: Ui): View {
  const t = ui.theme
  const local = ui.local('checkout', () => ({ tried: false }))
  const errors = local.tried ? formErrors(formOf(ui)) : {}
  const order = (): void => {
    local.tried = true
    const form = formOf(ui)
    const shop = shopOf(ui)
    const { pieces, total } = sums(shop.cart)
    if (Object.keys(formErrors(form)).length > 0 || pieces === 0) return
    const number = 1001 + shop.orders.length
    shop.orders.push({ number, lines: shop.cart, cents: total, name: form.name.trim() })
    shop.cart = {}
    ui.hideKeyboard()
    ui.finish()
    ui.open(DONE, { order: String(number) })
  }
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), 'Check out', () => ui.finish()),
    scrollView(
      ui.scroll('form'),
      { height: 'wrap', weight: 1, padding: { left: 24, right: 24, bottom: 24 } },
      [
        ...FIELDS.flatMap(({ name, hint, inputType }, i) => {
          const field = ui.field(name)
          const next = FIELDS[i + 1]
          const error = errors[name]
          return [
            outlined(
              t,
              field,
              {
                hint: hint,
                focused: ui.isFocused(field),
                ...(inputType === undefined ? {} : { inputType }),
                action: next ? 'next' : 'done',
                onAction: () => {
                  if (next) ui.focus(ui.field(next.name))
                  else ui.hideKeyboard()
                },
              },
              { id: ui.id(name), margin: { top: 16 } },
            ),
            ...(error
              ? [
                  label(t, error, {
                    id: ui.id(`${name}_error`),
                    margin: { top: 4, left: 16 },
                    look: { size: 12, color: t.error },
                  }),
                ]
              : []),
          ]
        }),
        button(t, `Order for ${money(ui, sums(shopOf(ui).cart).total)}`, order, {
          id: ui.id('order'),
          width: 'fill',
          height: 48,
          margin: { top: 24 },
        }),
      ],
    ),
  ])
}

export function doneScreen(ui: Ui): View {
  const t = ui.theme
  const home = (): void => {
    ui.finish()
    ui.open(MAIN)
  }
  ui.onBack(home)
  return column({ height: 'fill', gravity: { x: 'center', y: 'center' }, padding: 24 }, [
    icon('check_circle', 96, t.primary),
    label(t, 'Thank you', { id: ui.id('done_title'), margin: { top: 16 }, look: { size: 28 } }),
    label(t, `Order ${ui.intent.extras['order'] ?? ''}`, {
      id: ui.id('order_number'),
      margin: { top: 8, bottom: 24 },
      look: { color: t.secondary },
    }),
    button(t, 'Continue shopping', home, { id: ui.id('continue') }),
  ])
}
