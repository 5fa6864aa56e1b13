/** Examples of credit, and of a terminal's first key. */
import type { AccountJson } from '../../routes/schemas.js'
import { one, type OperationExamples } from './kinds.js'

const account: AccountJson = {
  project: 'demo',
  balance_usd: '41.667000',
  reserved_usd: '0.900000',
  spend_limit_usd: '200.000000',
  spent_this_month_usd: '8.333000',
  limits: { phones: 20, running: 5 },
  running: 1,
  phones: 3,
  price: { per_minute_usd: '0.060000', minimum_seconds: 60 },
  countries: [{ code: 'US', name: 'United States' }],
}

/** The token is well-formed, but no setup has it. */
const setupToken = 'prs_9xM27LFdMwTA2MSfxYfZcpwhOmCyZ8GrvHRcxNvOPUa'

export const accountExamples: Record<string, OperationExamples> = {
  getAccount: { answers: { 200: one('account', 'One phone is running', account) } },
  createCheckout: {
    body: one('fifty', 'Fifty dollars', { amount_usd: 50 }),
    answers: {
      201: one('link', 'The checkout page', {
        url: 'https://checkout.stripe.com/c/pay/cs_live_a1Xk3v7qM2',
        amount_usd: 50,
      }),
    },
  },
  createSetup: {
    body: one('named', 'With a name for the key', { client: 'deploy-bot' }),
    answers: {
      201: one('waiting', 'Show `user_code` and `verification_url` to a person', {
        setup_token: setupToken,
        user_code: 'ZL7T-62DS',
        verification_url: 'https://phones.example.com/setup',
        expires_in: 900,
        interval: 3,
      }),
    },
  },
  collectSetup: {
    body: one('token', 'The setup token', { setup_token: setupToken }),
    answers: {
      200: {
        pending: { summary: 'Not confirmed yet: poll again in three seconds', value: { status: 'pending' } },
        approved: {
          summary: 'Confirmed: the key is returned once',
          value: {
            status: 'approved',
            api_key: 'prk_b4Jt7nQx2VwKm9sZcYd5HgLr8PfUoEa3iXTNqBv6Wkh',
            project: 'demo',
          },
        },
      },
    },
  },
}
