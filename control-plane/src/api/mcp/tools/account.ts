/** The tool that reads the account. */
import { z } from 'zod'
import { answer } from '../answers.js'
import { integer, list, object, string } from '../schemas.js'
import { defineTool, reads } from '../tool.js'

export const accountTools = [
  defineTool({
    name: 'get_account',
    title: 'Get the account',
    description: 'Read credit, spending, limits, price and countries. Use it before renting.',
    input: z.strictObject({}),
    output: {
      project: string,
      balance_usd: string,
      reserved_usd: string,
      spend_limit_usd: string,
      spent_this_month_usd: string,
      limits: object,
      running: integer,
      phones: integer,
      price: object,
      countries: list(object),
    },
    annotations: reads,
    run: async (_, api) => answer(await api.json<object>({ method: 'GET', path: '/v1/account' })),
  }),
]
