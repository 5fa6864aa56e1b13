/** Names and helpers shared by the shop's screens. */
import { numberFormat } from '../../locale/formatters.js'
import { type Ui } from '../app.js'
import { type ShopData } from './data.js'

export const MAIN = 'com.phonerack.shop.MainActivity'
export const DETAIL = 'com.phonerack.shop.DetailActivity'
export const CART = 'com.phonerack.shop.CartActivity'
export const CHECKOUT = 'com.phonerack.shop.CheckoutActivity'
export const DONE = 'com.phonerack.shop.OrderActivity'

export const shopOf = (ui: Ui): ShopData => ui.data() as ShopData

export const money = (ui: Ui, cents: number): string =>
  numberFormat(ui.configuration.locale, { style: 'currency', currency: 'EUR' }).format(cents / 100)
