/** Assembles the console: its secret, its sign-in, and its routes. */
import { type FastifyPluginAsync } from 'fastify'
import { type Config } from './config/config.js'
import { type Core } from './core/core.js'
import { Ticker } from './core/ticker.js'
import { openWebhookKey } from './db/webhook-key.js'
import { consolePlugin } from './routes/console/plugin.js'
import { type ConsoleServices } from './routes/console/caller.js'
import { consoleOperatorPlugin } from './routes/operator/console.js'
import { createAuth } from './users/auth.js'
import { createCsrf } from './users/csrf.js'
import { createMailer } from './users/mail.js'
import { createProviders } from './users/providers/providers.js'
import { forgetSignIns } from './users/sessions.js'

export interface OwnConsole {
  plugin(services: ConsoleServices): FastifyPluginAsync
  operatorPlugin: FastifyPluginAsync
  ticker: Ticker
  close(): void
}

export async function openConsole(core: Core, config: Config): Promise<OwnConsole> {
  // A rotation of the service key does not change the webhook key, so sessions survive it.
  const key = await openWebhookKey(core.db, config, core.log)
  const secret = key.derive('phonerack console')
  const auth = createAuth(core, config.console, secret)
  const csrf = createCsrf(secret)
  const { baseUrl } = config.http
  const providers = createProviders(config.signIn, core.clock)
  const mailer = config.console.mail ? createMailer(config.console.mail) : null
  return {
    plugin: (services) =>
      consolePlugin({
        ...{ core, config: config.console, auth, csrf, mailer, services, baseUrl },
        ...{ signUp: config.signIn.signUp, providers },
      }),
    operatorPlugin: consoleOperatorPlugin(core, config.console),
    ticker: new Ticker('expired sign-ins', 600_000, core.log, () => forgetSignIns(core)),
    close: () => mailer?.close(),
  }
}
