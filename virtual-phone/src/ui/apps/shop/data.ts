/** The shop's saved state, its sums, and the validation of the checkout form. Pure. */
import { productOf } from './catalog.js'

interface Order {
  number: number
  lines: Record<string, number>
  cents: number
  name: string
}

export interface ShopData {
  /** Quantity by product id. */
  cart: Record<string, number>
  orders: Order[]
}

export const newShop = (): ShopData => ({ cart: {}, orders: [] })

const SHIPPING_CENTS = 490
const FREE_SHIPPING_CENTS = 5000

export function sums(cart: Readonly<Record<string, number>>): {
  pieces: number
  items: number
  shipping: number
  total: number
} {
  let pieces = 0
  let items = 0
  for (const [id, count] of Object.entries(cart)) {
    pieces += count
    items += count * (productOf(id)?.cents ?? 0)
  }
  const shipping = items === 0 || items >= FREE_SHIPPING_CENTS ? 0 : SHIPPING_CENTS
  return { pieces, items, shipping, total: items + shipping }
}

export interface CheckoutForm {
  name: string
  email: string
  street: string
  postcode: string
  card: string
}

/** Checks a card number by the Luhn algorithm. */
function validCard(text: string): boolean {
  const digits = text.replaceAll(/[\s-]/g, '')
  if (!/^\d{13,19}$/.test(digits)) return false
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, i) => {
      const n = Number(digit) * (i % 2 === 1 ? 2 : 1)
      return total + (n > 9 ? n - 9 : n)
    }, 0)
  return sum % 10 === 0
}

/** Returns an English error per invalid field; empty for a valid form. */
export function formErrors(form: CheckoutForm): Partial<Record<keyof CheckoutForm, string>> {
  return {
    ...(form.name.trim() === '' ? { name: 'Enter your name' } : {}),
    ...(/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(form.email.trim())
      ? {}
      : { email: 'Enter a valid e-mail address' }),
    ...(form.street.trim() === '' ? { street: 'Enter street and number' } : {}),
    ...(/^\d{5}$/.test(form.postcode.trim()) ? {} : { postcode: 'A postcode has 5 digits' }),
    ...(validCard(form.card) ? {} : { card: 'This card number is not valid' }),
  }
}
