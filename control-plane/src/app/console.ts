/**
 * Assembles the consoles of both listeners: their secrets, their sign-in, their routes, and the routes of clients that
 * sign in by OAuth.
 */
import { type FastifyPluginAsync } from 'fastify'
import { type Config } from '../base/config/config.js'
import { type ConsoleConfig } from '../base/config/console.js'
import { createClients } from '../people/connectors/clients.js'
import { forgetConnectors } from '../people/connectors/expiry.js'
import { type Core } from '../base/core/core.js'
import { Ticker } from '../base/core/ticker.js'
import { version } from '../base/version.js'
import { openWebhookKey } from '../base/db/webhook-key.js'
import { type FailureLimit } from '../base/failure-limit/failure-limit.js'
import { consoleFolder } from '../api/http/site-files.js'
import { addConsolePages } from '../api/routes/console/pages.js'
import { consolePlugin, type ConsoleDeps } from '../api/routes/console/plugin.js'
import { consoleOperatorPlugin } from '../api/routes/operator/console.js'
import { oauthPlugin } from '../api/routes/public/oauth.js'
import { createCsrf } from '../people/users/csrf.js'
import { loadAuth } from '../people/users/load-auth.js'
import { createMailer } from '../people/users/mail.js'
import { createProviders } from '../people/users/providers/providers.js'
import { forgetSignIns } from '../people/users/sessions.js'
import { createResolve } from '../events/webhooks/resolve.js'

/** The parts that `app.ts` creates. */
type ConsoleParts = Pick<ConsoleDeps, 'services' | 'authority' | 'health' | 'store'>

interface AppConsole {
  /** `own` is for the public listener, `operator` for the operators' listener. */
  plugins(parts: ConsoleParts): { own: FastifyPluginAsync; operator: FastifyPluginAsync }
  operatorPlugin: FastifyPluginAsync
  ticker: Ticker
  close(): void
}

export async function openConsole(
  core: Core,
  config: Config,
  failureLimit: FailureLimit,
): Promise<AppConsole> {
  // A rotation of the service key does not change the webhook key, so sessions survive it.
  const key = await openWebhookKey(core.db, config, core.log)
  const { baseUrl } = config.http
  const providers = createProviders(config.signIn, core.clock)
  const mailer = config.console.mail ? createMailer(config.console.mail) : null
  const folder = consoleFolder()
  const { kind, dir } = config.storage
  const storage = { kind, place: kind === 'fs' ? dir : (config.storage.s3?.bucket ?? null) }
  const clients = createClients({
    core,
    allowed: config.webhooks.allowed,
    resolve: createResolve(),
    allowsRegistration: config.allowsRegistration,
  })
  const issuer = baseUrl.replace(/\/$/, '')
  const connectors = { clients, issuer, resource: `${issuer}/mcp` }
  // With a shared secret, a cookie of one console would be valid at the other.
  const pluginOf =
    (of: ConsoleConfig, secret: Buffer, parts: ConsoleParts): FastifyPluginAsync =>
    async (app) => {
      await addConsolePages(app, folder, new URL(baseUrl).origin)
      await app.register(
        consolePlugin({
          core,
          config: of,
          auth: loadAuth(core, of, secret),
          csrf: createCsrf(secret),
          mailer,
          ...parts,
          baseUrl,
          storage,
          version,
          replicaId: config.replicaId,
          providers,
          connectors,
          // Accounts can be created only at the public address.
          signUp:
            of === config.operatorConsole ? { ...config.signIn.signUp, who: 'invite' } : config.signIn.signUp,
        }),
      )
    }
  const oauth = oauthPlugin({ core, failureLimit, ...connectors, consoleOrigin: config.console.origin })
  return {
    plugins: (parts) => ({
      own: async (app) => {
        await app.register(pluginOf(config.console, key.derive('phonerack console'), parts))
        await app.register(oauth)
      },
      operator: pluginOf(config.operatorConsole, key.derive('phonerack operator console'), parts),
    }),
    operatorPlugin: consoleOperatorPlugin(core, config.console),
    ticker: new Ticker('expired sign-ins', 600_000 * core.pace, core.log, async () => {
      await forgetSignIns(core)
      await forgetConnectors(core)
    }),
    close: () => mailer?.close(),
  }
}
