import { type Caller } from '../../base/core/caller.js'

/** The pages to which the provider sends the payer after the checkout. */
export interface ReturnPages {
  paid: string
  cancelled: string
}

interface CheckoutView {
  id: string
  /** Whole dollars, without tax. */
  amountUsd: number
  createdAt: Date
  /** When the checkout's credit was added; null: no payment is confirmed. */
  paidAt: Date | null
}

/** Sells credit. */
export interface CheckoutService {
  /**
   * Returns the URL of the provider's checkout page. Credit is added once the page is paid.
   * @param amountUsd whole dollars
   * @param pagesOf returns the pages for a checkout's ID; omitted: plain pages of this service
   * @throws ApiError billing_not_configured, rate_limited, provider_error, provider_timeout
   */
  create(
    caller: Caller,
    amountUsd: number,
    pagesOf?: (checkoutId: string) => ReturnPages,
  ): Promise<{ id: string; url: string }>
  /** Null: the project has no such checkout. */
  find(projectId: string, checkoutId: string): Promise<CheckoutView | null>
  /**
   * The URL of a paid checkout's receipt; null: the project has no such checkout, or the provider has no
   * receipt.
   * @throws ApiError billing_not_configured, provider_error, provider_timeout
   */
  receiptOf(projectId: string, checkoutId: string): Promise<string | null>
}
