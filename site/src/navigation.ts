/** The menus of the site. */
import type { DefaultTheme } from 'vitepress'
import type { Part } from './compose/split.js'

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link })

export const nav: DefaultTheme.NavItem[] = [
  { text: 'Guide', link: '/guide/first-tap', activeMatch: '^/(guide|concepts|recipes|frameworks|clients)/' },
  // Another program reads the places after `#` of this page, so the browser loads it as a whole.
  { text: 'API', link: '/api', target: '_self', activeMatch: '^/api' },
  { text: 'Errors', link: '/reference/errors', activeMatch: '^/reference/' },
  { text: 'Operators', link: '/operators/', activeMatch: '^/operators/' },
]

const guide: DefaultTheme.SidebarItem[] = [
  {
    text: 'Start',
    items: [page('Five minutes to the first tap', '/guide/first-tap'), page('Get a key', '/guide/keys')],
  },
  {
    text: 'Concepts',
    items: [
      page('Phones and sessions', '/concepts/phones'),
      page('Screens and elements', '/concepts/screens'),
      page('Actions', '/concepts/actions'),
      page('Waiting', '/concepts/waiting'),
      page('Shell commands', '/concepts/shell'),
      page('Outcomes and retries', '/concepts/outcomes'),
      page('Keys, scopes and profiles', '/concepts/keys'),
      page('Money', '/concepts/money'),
      page('Hand-over to a person', '/concepts/hand-over'),
      page('Events and webhooks', '/concepts/events'),
      page('Log, crashes, notifications and permissions', '/concepts/reports'),
      page('Steps and replay', '/concepts/steps'),
    ],
  },
  {
    text: 'Recipes',
    items: [
      page('Log in with a code', '/recipes/log-in-with-a-code'),
      page('Hand over to a person', '/recipes/hand-over'),
      page('Test an APK in CI', '/recipes/test-an-apk'),
      page('Record and replay', '/recipes/record-and-replay'),
      page('Receive webhooks', '/recipes/webhooks'),
    ],
  },
  {
    text: 'Frameworks',
    items: [
      page('Overview', '/frameworks/'),
      page('Vercel AI SDK', '/frameworks/vercel-ai'),
      page('LangChain and LangGraph', '/frameworks/langchain'),
      page('OpenAI Agents SDK', '/frameworks/openai-agents'),
      page('Claude Agent SDK', '/frameworks/claude-agent-sdk'),
      page('Mastra', '/frameworks/mastra'),
      page('n8n', '/frameworks/n8n'),
    ],
  },
  {
    text: 'Clients',
    items: [
      page('TypeScript', '/clients/typescript'),
      page('Python', '/clients/python'),
      page('Command line', '/clients/cli'),
      page('Agent tools (MCP)', '/clients/mcp'),
    ],
  },
]

const reference: DefaultTheme.SidebarItem[] = [
  {
    text: 'Reference',
    items: [
      page('Errors', '/reference/errors'),
      page('Endpoints', '/reference/endpoints'),
      { text: 'API, to try', link: '/api', target: '_self' },
    ],
  },
]

const operators = (parts: readonly Part[]): DefaultTheme.SidebarItem[] => [
  {
    text: 'Operators’ guide',
    items: [
      page('Overview', '/operators/'),
      ...parts.map(({ title, slug }) => page(title.replaceAll('`', ''), `/operators/${slug}`)),
    ],
  },
  {
    text: 'Ways to install',
    items: [
      page('Docker Compose', '/operators/compose'),
      page('Helm', '/operators/helm'),
      page('The network of phones', '/operators/phone-network'),
    ],
  },
  {
    text: 'More',
    items: [
      page('Commands', '/operators/commands'),
      page('Settings', '/operators/settings'),
      page('Capabilities of a phone', '/operators/capabilities'),
      page('Security', '/operators/security'),
      page('Unproven claims', '/operators/unproven'),
    ],
  },
]

/** @param operations sections of the operators' guide */
export const sidebar = (operations: readonly Part[]): DefaultTheme.SidebarMulti => ({
  '/operators/': operators(operations),
  '/reference/': reference,
  '/': guide,
})
