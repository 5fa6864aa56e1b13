/** Assembles the consoles of both listeners: their secrets, their sign-in, and their routes. */
import { createRequire } from 'node:module'
import { type FastifyPluginAsync } from 'fastify'
import { type Config } from './config/config.js'
import { type ConsoleConfig } from './config/console.js'
import { type Core } from './core/core.js'
import { Ticker } from './core/ticker.js'
import { openWebhookKey } from './db/webhook-key.js'
import { readConsoleFiles } from './routes/console/files.js'
import { consolePlugin, type ConsoleDeps } from './routes/console/plugin.js'
import { consoleOperatorPlugin } from './routes/operator/console.js'
import { createAuth } from './users/auth.js'
import { createCsrf } from './users/csrf.js'
import { createMailer } from './users/mail.js'
import { createProviders } from './users/providers/providers.js'
import { forgetSignIns } from './users/sessions.js'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

/** The parts that the rest of the app makes. */
type ConsoleParts = Pick<ConsoleDeps, 'services' | 'authority' | 'health' | 'store'>

export interface OwnConsole {
  /** `own` is for the public listener, `operator` for the operator's. */
  plugins(parts: ConsoleParts): { own: FastifyPluginAsync; operator: FastifyPluginAsync }
  operatorPlugin: FastifyPluginAsync
  ticker: Ticker
  close(): void
}

export async function openConsole(core: Core, config: Config): Promise<OwnConsole> {
  // A rotation of the service key does not change the webhook key, so sessions survive it.
  const key = await openWebhookKey(core.db, config, core.log)
  const { baseUrl } = config.http
  const providers = createProviders(config.signIn, core.clock)
  const mailer = config.console.mail ? createMailer(config.console.mail) : null
  const files = readConsoleFiles()
  const { kind, dir } = config.storage
  const storage = { kind, place: kind === 'fs' ? dir : (config.storage.s3?.bucket ?? null) }
  // With one secret, a cookie of one console would be valid at the other.
  const pluginOf = (of: ConsoleConfig, secret: Buffer, parts: ConsoleParts): FastifyPluginAsync =>
    consolePlugin({
      ...{ core, config: of, auth: createAuth(core, of, secret), csrf: createCsrf(secret), mailer },
      ...{ ...parts, baseUrl, files, storage, version, replicaId: config.replicaId, providers },
      // Accounts are created at the public address only.
      signUp: of === config.operatorConsole ? { ...config.signIn.signUp, who: 'invite' } : config.signIn.signUp,
    })
  return {
    plugins: (parts) => ({
      own: pluginOf(config.console, key.derive('phonerack console'), parts),
      operator: pluginOf(config.operatorConsole, key.derive('phonerack operator console'), parts),
    }),
    operatorPlugin: consoleOperatorPlugin(core, config.console),
    ticker: new Ticker('expired sign-ins', 600_000, core.log, () => forgetSignIns(core)),
    close: () => mailer?.close(),
  }
}
