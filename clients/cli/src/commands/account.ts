/** `account`: credit, limits and prices. */
import type { Command } from 'commander'
import type { App } from '../app.js'
import { dollars } from '../money.js'
import { plain } from '@phonerack/shared/plain'
import { record } from '../table.js'

export function addAccountCommands(program: Command, app: App): void {
  app.on(program.command('account').description('show credit, limits, prices and countries'), async (run) => {
    const { client } = await run.session()
    const account = await client.account(run.call)
    const text = record([
      ['project', account.project],
      ['balance', dollars(account.balance_usd)],
      ['reserved', dollars(account.reserved_usd)],
      ['spent this month', `${dollars(account.spent_this_month_usd)} of ${dollars(account.spend_limit_usd)}`],
      ['running', `${account.running} of ${account.limits.running}`],
      ['phones', `${account.phones} of ${account.limits.phones}`],
      [
        'price',
        `${dollars(account.price.per_minute_usd)} a minute, at least ${account.price.minimum_seconds} s`,
      ],
      ['countries', account.countries.map(({ code, name }) => `${code} ${name}`).join(', ')],
    ])
    await run.out.answer(account, text, plain(account.balance_usd))
  })
}
