/** The official conformance suite against `/mcp`, through a proxy that adds the key, in the current revision and two of 2025. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../testing/api.js'
import { runConformance, type Check } from '../../testing/mcp-conformance.js'
import { listen } from '../../testing/mcp-client.js'
import { startKeyProxy, type KeyProxy } from '../../testing/mcp-proxy.js'

let api: TestApi
let proxy: KeyProxy
beforeAll(async () => {
  proxy = await startKeyProxy()
  api = await startApi({ http: { mcpOrigins: [proxy.origin] } })
  proxy.forward(await listen(api.app), api.key)
})
afterAll(async () => {
  await proxy.close()
  await api.close()
})

/** Scenarios of optional features that `/mcp` does not offer, and of tools that only the suite's own example server has. */
const absent =
  /^(completion|elicitation|http-custom-header|input-required-result|json-schema|logging|prompts|resources|sep-2164|server-session|server-sse-polling|tools-call)(-|$)/
/** Checks of such features within other scenarios. */
const absentChecks = [
  // Tools of the example server.
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
  // Subscriptions: no list changes while a server runs.
  'sep-2575-server-sends-subscription-ack',
  'sep-2575-server-tags-subscription-id',
  'sep-2575-server-sends-tools-list-changed-on-subscription',
  // Sessions.
  'server-sse-multiple-streams-session',
  // Prompts and resources.
  'sep-2549-prompts-list-caching-hints',
  'sep-2549-resources-list-caching-hints',
  'sep-2549-resources-templates-list-caching-hints',
]

/** Scenarios with a check that passed, of those that each revision has for a server with tools. */
const proven = {
  '2026-07-28': [
    ...['caching', 'dns-rebinding-protection', 'http-header-validation'],
    ...['server-sse-multiple-streams', 'server-stateless', 'tools-list'],
  ],
  '2025-11-25': ['dns-rebinding-protection', 'ping', 'server-initialize', 'tools-list'],
  '2025-06-18': ['ping', 'server-initialize', 'tools-list'],
}

it.each(Object.entries(proven))(
  'passes each check for servers with tools in revision %s',
  async (revision, names) => {
    const scenarios = await runConformance(`${proxy.origin}/mcp`, revision)
    const ours = [...scenarios].filter(([name]) => !absent.test(name))
    const passed = ours.filter(([, checks]) => checks.some(({ status }) => status === 'SUCCESS'))
    expect(passed.map(([name]) => name).toSorted()).toEqual(names)
    const isBad = ({ id, status }: Check): boolean =>
      (status === 'FAILURE' || status === 'WARNING') && !absentChecks.includes(id)
    expect(
      ours.flatMap(([name, checks]) => checks.filter(isBad).map((check) => ({ name, ...check }))),
    ).toEqual([])
  },
)
