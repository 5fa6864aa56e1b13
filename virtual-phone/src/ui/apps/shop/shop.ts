/** A shop: search and list, detail, cart, and a checkout with a validated form. */
import {
  column,
  frame,
  icon,
  iconButton,
  label,
  row,
  scrollView,
  toolbar,
  button,
  outlined,
} from '../../toolkit/widgets.js'
import { type View } from '../../toolkit/view.js'
import { type App, type Ui } from '../app.js'
import { productOf, searchCatalog, type Product, type SortOrder } from './catalog.js'
import { checkout, doneScreen } from './checkout.js'
import { newShop, sums } from './data.js'
import { CART, CHECKOUT, DETAIL, DONE, MAIN, money, shopOf } from './parts.js'

const COLORS: Readonly<Record<string, string>> = { Kitchen: '#e8710a', Office: '#1a73e8', Outdoor: '#188038' }
const GLYPHS: Readonly<Record<string, string>> = { Kitchen: 'local_cafe', Office: 'work', Outdoor: 'terrain' }

const picture = (product: Product, size: number): View =>
  frame(
    {
      width: size,
      height: size,
      gravity: { x: 'center', y: 'center' },
      box: { color: COLORS[product.category] ?? '#5f6368', radius: 12 },
    },
    [icon(GLYPHS[product.category] ?? 'sell', size * 0.5, '#ffffff')],
  )

function cartButton(ui: Ui): View {
  const { pieces } = sums(shopOf(ui).cart)
  return row({}, [
    iconButton(ui.theme, 'shopping_cart', 'Cart', () => ui.open(CART), { id: ui.id('cart_button') }),
    ...(pieces > 0
      ? [
          label(ui.theme, String(pieces), {
            id: ui.id('cart_count'),
            padding: { left: 7, right: 7, top: 2, bottom: 2 },
            margin: { right: 8 },
            box: { color: ui.theme.primary, radius: 'full' },
            look: { size: 12, weight: 500, color: ui.theme.onPrimary },
          }),
        ]
      : []),
  ])
}

function productRow(ui: Ui, product: Product): View {
  const t = ui.theme
  return row(
    {
      id: ui.id('product_row'),
      width: 'fill',
      margin: { left: 16, right: 16, bottom: 8 },
      padding: 12,
      box: { color: t.surface, radius: 16 },
      onClick: () => ui.open(DETAIL, { product: product.id }),
    },
    [
      picture(product, 64),
      column({ width: 'wrap', weight: 1, margin: { left: 16, right: 8 } }, [
        label(t, product.name, { id: ui.id('product_name'), look: { size: 16, weight: 500, maxLines: 1 } }),
        label(t, product.stock === 0 ? 'Sold out' : product.category, {
          id: ui.id('product_info'),
          margin: { top: 4 },
          look: { size: 13, color: product.stock === 0 ? t.error : t.secondary },
        }),
      ]),
      label(t, money(ui, product.cents), { id: ui.id('product_price'), look: { size: 16, weight: 500 } }),
    ],
  )
}

function main(ui: Ui): View {
  const t = ui.theme
  const query = ui.field('query')
  const local = ui.local('list', (): { order: SortOrder } => ({ order: 'name' }))
  const found = searchCatalog(query.text, local.order)
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), 'Shop', null, [cartButton(ui)]),
    row({ width: 'fill', padding: { left: 16, right: 8, bottom: 12 } }, [
      outlined(
        t,
        query,
        {
          hint: 'Search products',
          focused: ui.isFocused(query),
          action: 'search',
          onAction: () => ui.hideKeyboard(),
        },
        { id: ui.id('search'), weight: 1 },
      ),
      button(
        t,
        local.order === 'name' ? 'Sort: name' : 'Sort: price',
        () => (local.order = local.order === 'name' ? 'price' : 'name'),
        { id: ui.id('sort'), kind: 'text' },
      ),
    ]),
    label(t, `${found.length} products`, {
      id: ui.id('count'),
      margin: { left: 24, bottom: 8 },
      look: { size: 13, color: t.secondary },
    }),
    scrollView(
      ui.scroll('list'),
      { id: ui.id('list'), height: 'wrap', weight: 1 },
      found.map((product) => productRow(ui, product)),
    ),
  ])
}

function detail(ui: Ui): View {
  const t = ui.theme
  const product = productOf(ui.intent.extras['product'] ?? '')
  const { cart } = shopOf(ui)
  if (!product) return label(t, 'This product is gone', { margin: 24 })
  const inCart = cart[product.id] ?? 0
  const left = product.stock - inCart
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), product.name, () => ui.finish(), [cartButton(ui)]),
    scrollView(ui.scroll('detail'), { height: 'wrap', weight: 1, padding: 24 }, [
      row({ width: 'fill', gravity: { x: 'center' } }, [picture(product, 180)]),
      label(t, product.name, { id: ui.id('name'), margin: { top: 24 }, look: { size: 26 } }),
      label(t, money(ui, product.cents), {
        id: ui.id('price'),
        margin: { top: 4 },
        look: { size: 22, weight: 500, color: t.primary },
      }),
      label(t, product.about, { id: ui.id('about'), margin: { top: 16 }, look: { color: t.secondary } }),
      label(t, product.stock === 0 ? 'Sold out' : `${product.stock} in stock`, {
        id: ui.id('stock'),
        margin: { top: 16, bottom: 24 },
        look: { size: 14 },
      }),
      button(t, 'Add to cart', () => (cart[product.id] = inCart + 1), {
        id: ui.id('add_to_cart'),
        width: 'fill',
        height: 48,
        enabled: left > 0,
      }),
    ]),
  ])
}

function cartRow(ui: Ui, product: Product, count: number): View {
  const t = ui.theme
  const { cart } = shopOf(ui)
  const set = (next: number): void => {
    if (next <= 0) Reflect.deleteProperty(cart, product.id)
    else cart[product.id] = next
  }
  return row({ id: ui.id('cart_row'), width: 'fill', padding: { left: 24, right: 12, top: 8, bottom: 8 } }, [
    column({ width: 'wrap', weight: 1 }, [
      label(t, product.name, { id: ui.id('cart_name'), look: { size: 16, maxLines: 1 } }),
      label(t, money(ui, product.cents * count), {
        id: ui.id('cart_price'),
        look: { size: 14, color: t.secondary },
      }),
    ]),
    iconButton(t, 'remove', 'One less', () => set(count - 1), { id: ui.id('less') }),
    label(t, String(count), { id: ui.id('pieces') }),
    iconButton(t, 'add', 'One more', () => set(count + 1), {
      id: ui.id('more'),
      enabled: count < product.stock,
      opacity: count < product.stock ? 1 : 0.4,
    }),
  ])
}

function cartScreen(ui: Ui): View {
  const t = ui.theme
  const { cart } = shopOf(ui)
  const { items, shipping, total } = sums(cart)
  const rows = Object.entries(cart).flatMap(([id, count]) => {
    const product = productOf(id)
    return product ? [cartRow(ui, product, count)] : []
  })
  const line = (name: string, cents: number, id: string): View =>
    row({ width: 'fill', padding: { left: 24, right: 24, top: 4, bottom: 4 } }, [
      label(t, name, { weight: 1 }),
      label(t, money(ui, cents), { id: ui.id(id), look: { weight: 500 } }),
    ])
  const empty = label(t, 'Your cart is empty', { id: ui.id('empty'), margin: 24 })
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), 'Cart', () => ui.finish()),
    scrollView(ui.scroll('cart'), { height: 'wrap', weight: 1 }, rows.length > 0 ? rows : [empty]),
    line('Items', items, 'sum_items'),
    line('Shipping', shipping, 'sum_shipping'),
    line('Total', total, 'sum_total'),
    button(t, 'Check out', () => ui.open(CHECKOUT), {
      id: ui.id('checkout'),
      width: 'fill',
      height: 48,
      margin: 24,
      enabled: items > 0,
    }),
  ])
}

export const shop: App = {
  package: 'com.phonerack.shop',
  label: 'Shop',
  icon: { glyph: 'storefront', color: '#ffffff', background: '#c5221f' },
  versionName: '2.3',
  versionCode: 23,
  uid: 10_106,
  launcherActivity: MAIN,
  activities: {
    [MAIN]: main,
    [DETAIL]: detail,
    [CART]: cartScreen,
    [CHECKOUT]: checkout,
    [DONE]: doneScreen,
  },
  actions: {},
  initialData: newShop,
}
