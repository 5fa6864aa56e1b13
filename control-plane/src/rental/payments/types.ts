import { type Caller } from '../../base/core/caller.js'

/** Where the provider sends the payer back to. */
export interface ReturnPages {
  paid: string
  cancelled: string
}

export interface CheckoutView {
  id: string
  /** Whole dollars, without tax. */
  amountUsd: number
  createdAt: Date
  /** When its credit was added; null: no payment is confirmed. */
  paidAt: Date | null
}

/** Buying credit. */
export interface CheckoutService {
  /**
   * Returns the URL of the provider's checkout page. Credit is added once it is paid. @param
   * amountUsd whole dollars @param pagesOf by the checkout's ID; left out: plain pages of this service @throws
   * ApiError billing_not_configured, rate_limited, provider_error, provider_timeout
   */
  create(
    caller: Caller,
    amountUsd: number,
    pagesOf?: (checkoutId: string) => ReturnPages,
  ): Promise<{ id: string; url: string }>
  /** Null: the project has no such checkout. */
  find(projectId: string, checkoutId: string): Promise<CheckoutView | null>
  /**
   * The address of the receipt of a paid checkout; null: the project has no such checkout, or the provider no receipt.
   * @throws ApiError billing_not_configured, provider_error, provider_timeout
   */
  receiptOf(projectId: string, checkoutId: string): Promise<string | null>
}
