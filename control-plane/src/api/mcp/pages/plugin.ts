/** Pages for agents, without a key: an overview, the connection of a client, the way to a key, and the use of a phone. */
import { type FastifyPluginCallback } from 'fastify'
import { installPage } from './install.js'
import { overviewPage } from './overview.js'
import { setupPage } from './setup.js'
import { skillPage } from './skill.js'

export const pages: Readonly<Record<string, (baseUrl: string) => string>> = {
  '/llms.txt': overviewPage,
  '/llms-install.md': installPage,
  '/setup.md': setupPage,
  '/SKILL.md': skillPage,
}

/** @param baseUrl public base address, without a trailing slash */
export const pagesPlugin =
  (baseUrl: string): FastifyPluginCallback =>
  (app, _options, done) => {
    for (const [url, page] of Object.entries(pages)) {
      const text = page(baseUrl)
      const type = url.endsWith('.md') ? 'text/markdown' : 'text/plain'
      app.get(url, { schema: { hide: true } }, (_request, reply) =>
        reply.type(`${type}; charset=utf-8`).send(text),
      )
    }
    done()
  }
