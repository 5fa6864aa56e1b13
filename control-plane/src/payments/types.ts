import { type Caller } from '../core/caller.js'

/** Buying credit. */
export interface CheckoutService {
  /**
   * Returns the URL of the provider's checkout page. Credit is added once it is paid. @param
   * amountUsd whole dollars @throws ApiError billing_not_configured, rate_limited, provider_error,
   * provider_timeout
   */
  create(caller: Caller, amountUsd: number): Promise<{ url: string }>
}
