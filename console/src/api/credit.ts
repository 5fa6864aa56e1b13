/** Buying credit, and the ledger of a project. */
import { call } from './client'

const of = (project: string): string => `/projects/${encodeURIComponent(project)}`

/** `url`: the page of the payment provider. */
export const createCheckout = (project: string, amountUsd: number) =>
  call<{ id: string; url: string }>('POST', `${of(project)}/checkouts`, { amount_usd: amountUsd })

export interface Checkout {
  id: string
  amount_usd: string
  created_at: string
  /** Null: the payment is not confirmed. */
  paid_at: string | null
  /** The balance of the project, including the payment. */
  balance_usd: string
}

export const getCheckout = (project: string, id: string) =>
  call<Checkout>('GET', `${of(project)}/checkouts/${encodeURIComponent(id)}`)

/** The address of a receipt at the payment provider. */
export const getReceipt = (project: string, checkout: string) =>
  call<{ url: string }>('GET', `${of(project)}/checkouts/${encodeURIComponent(checkout)}/receipt`)

/** The page shows other addresses as text, not as links. */
export const isOfStripe = (url: string): boolean =>
  URL.canParse(url) && new URL(url).protocol === 'https:' && new URL(url).host.endsWith('.stripe.com')

export interface LedgerEntry {
  id: string
  at: string
  kind: string
  /** Negative: the amount was taken from the credit. */
  amount_usd: string
  session_id: string | null
  checkout_id: string | null
  phone_id: string | null
  phone: string | null
}

export interface LedgerPage {
  data: LedgerEntry[]
  next_before: string | null
}

export const listLedger = (project: string, before: string | null) =>
  call<LedgerPage>(
    'GET',
    `${of(project)}/ledger${before === null ? '' : `?${new URLSearchParams({ before }).toString()}`}`,
  )
