import { type Caller } from '../core/caller.js'

/** Buying credit. */
export interface CheckoutService {
  /**
   * A page of the payment provider on which somebody can pay; credit comes once they have.
   * @param amountUsd whole dollars
   * @throws ApiError billing_not_configured, rate_limited, provider_error, provider_timeout
   */
  create(caller: Caller, amountUsd: number): Promise<{ url: string }>
}
